import type { ServerResponse } from "node:http";

/** How many bytes of an answer fit into one. */
export const BATCH = 64 * 1024;
/** Free in front of them, for the size of a chunk. */
export const FRONT = 10;
const CRLF = "\r\n";

export interface Batch {
  readonly full: Buffer;
  /** What of it was filled. */
  readonly whole: Buffer;
  /** The same, or what shall leave instead. */
  readonly sent: Buffer;
}

export function newBatch(): Buffer {
  return Buffer.allocUnsafeSlow(FRONT + BATCH + CRLF.length);
}

/** Past the response, which would write the size of a chunk, the chunk and its end each for itself. */
export function writeBatch(response: ServerResponse, { full, whole, sent }: Batch, done: () => void): void {
  const { socket } = response;
  if (sent.length === 0) done();
  // The client asked for several things at once, and this is not yet the one that is being answered.
  else if (socket === null) response.write(Buffer.from(sent), done);
  else if (!response.chunkedEncoding) socket.write(sent, done);
  else socket.write(sent === whole ? frameInPlace(full, whole.length) : frame(sent), done);
}

/** Around what stands behind the front of a batch. */
function frameInPlace(full: Buffer, length: number): Buffer {
  const size = length.toString(16) + CRLF;
  full.write(size, FRONT - size.length, "latin1");
  full.write(CRLF, FRONT + length, "latin1");
  return full.subarray(FRONT - size.length, FRONT + length + CRLF.length);
}

function frame(sent: Buffer): Buffer {
  return Buffer.concat([Buffer.from(sent.length.toString(16) + CRLF), sent, Buffer.from(CRLF)]);
}
