import type { AppendFile } from "./append-file.ts";
import type { Piece, Renderer, Stream } from "./render.ts";
import { createTailBuffer } from "./tail-buffer.ts";
import type { TailBuffer } from "./tail-buffer.ts";

/** Takes what a command prints. Beyond `maxBytes` in the file, only the newest is kept, and written at the end. */
export interface Output {
  /** Bytes that the command printed. */
  bytes(): number;
  take(from: Stream, chunk: Buffer): void;
  note(text: string): void;
  finish(): void;
}

interface OutputParams {
  readonly file: AppendFile;
  readonly createRenderer: () => Renderer;
  readonly maxBytes: number;
}

const MAX_TAIL = 1024 * 1024;
/** A line of one character becomes many in the transcript: small slices keep what is written near the limit. */
const SLICE = 4096;

export function createOutput({ file, createRenderer, maxBytes }: OutputParams): Output {
  const tailBytes = Math.min(Math.floor(maxBytes / 2), MAX_TAIL);
  const headEnd = file.size() + maxBytes - tailBytes;
  const renderer = createRenderer();
  let printed = 0;
  let kept = 0;
  let tail: TailBuffer | null = null;

  function write(pieces: readonly Piece[]): void {
    for (const { data } of merge(pieces)) file.write(data);
    kept += sum(pieces);
  }

  function takeHead(from: Stream, chunk: Buffer): void {
    write(renderer.render(from, Date.now(), chunk));
    if (file.size() < headEnd) return;
    write(renderer.rest(Date.now()));
    tail = createTailBuffer(tailBytes);
  }

  return {
    bytes: () => printed,
    take(from, chunk) {
      printed += chunk.length;
      for (let at = 0; at < chunk.length; at += SLICE) {
        if (tail !== null) return tail.push({ from, at: Date.now(), chunk: chunk.subarray(at) });
        takeHead(from, chunk.subarray(at, at + SLICE));
      }
    },
    note: (text) => write([renderer.note(Date.now(), text)]),
    finish() {
      write(renderer.rest(Date.now()));
      if (tail === null) return;
      const pieces = newest(tail, createRenderer(), tailBytes);
      const dropped = Math.max(0, printed - kept - sum(pieces));
      if (dropped > 0) this.note(`${dropped} bytes of output are left out here: only ${maxBytes} are kept.`);
      write(pieces);
      tail = null;
    },
  };
}

/** The last pieces of the tail that fit. */
function newest(tail: TailBuffer, renderer: Renderer, maxBytes: number): readonly Piece[] {
  const queue: Piece[] = [];
  let size = 0;
  function add(pieces: readonly Piece[]): void {
    queue.push(...pieces);
    for (const { data } of pieces) size += data.length;
    let dropped = 0;
    while (size > maxBytes && dropped < queue.length - 1) size -= queue[dropped++]?.data.length ?? 0;
    queue.splice(0, dropped);
  }
  for (const { from, at, chunk } of tail.frames()) {
    for (const slice of slices(chunk)) add(renderer.render(from, at, slice));
  }
  add(renderer.rest(Date.now()));
  return queue;
}

function slices(chunk: Buffer): readonly Buffer[] {
  return Array.from({ length: Math.ceil(chunk.length / SLICE) }, (_, index) =>
    chunk.subarray(index * SLICE, (index + 1) * SLICE),
  );
}

/** One write for all text of a chunk. */
function merge(pieces: readonly Piece[]): readonly Pick<Piece, "data">[] {
  if (pieces.some(({ data }) => typeof data !== "string")) return pieces;
  return [{ data: pieces.map(({ data }) => data).join("") }];
}

function sum(pieces: readonly Piece[]): number {
  return pieces.reduce((total, { bytes }) => total + bytes, 0);
}
