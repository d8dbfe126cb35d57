import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";

/** What has come and is not yet on its way to the client may grow to this before its source has to wait. */
const MOST_WAITING = 256 * 1024;

/**
 * Hands on what comes, all that came in one turn of the event loop together: TLS delivers at most 16 KB at a time, and a
 * write for each of them is what a bare pipe spends most of its time on. A lone event is held up by less than its own turn.
 */
export function forward(source: Readable, response: ServerResponse): void {
  let held: Buffer[] = [];
  let waiting = 0;
  let isDue = false;

  function flush(): void {
    isDue = false;
    const chunks = held;
    held = [];
    if (chunks.length === 0 || response.destroyed) return;
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    const written = (): void => {
      waiting -= bytes;
      if (waiting < MOST_WAITING && source.isPaused()) source.resume();
    };
    // The response alone would let go of its socket first, and then write each piece for itself.
    const { socket } = response;
    socket?.cork();
    response.cork();
    chunks.forEach((chunk, index) => response.write(chunk, index === chunks.length - 1 ? written : undefined));
    response.uncork();
    socket?.uncork();
  }

  source.on("data", (chunk: Buffer) => {
    held.push(chunk);
    waiting += chunk.length;
    if (waiting >= MOST_WAITING) source.pause();
    if (isDue) return;
    isDue = true;
    setImmediate(flush);
  });
  source.once("end", () => {
    flush();
    if (!response.destroyed) response.end();
  });
  source.once("close", () => {
    if (source.readableEnded) return;
    // It broke off. What came before gets its turn to leave, and then the client learns of it.
    flush();
    setImmediate(() => response.destroy());
  });
}
