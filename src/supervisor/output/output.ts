import type { AppendFile } from "./append-file.ts";
import type { Piece, Renderer, Stream } from "./render.ts";
import { createTailBuffer } from "./tail-buffer.ts";
import type { TailBuffer } from "./tail-buffer.ts";

/** Writes a command's output to a file. After `maxBytes`, only the latest output is kept and written at the end. */
export interface Output {
  /** Number of bytes that the command has printed. */
  bytes(): number;
  append(from: Stream, chunk: Buffer): void;
  note(text: string): void;
  finish(): void;
}

interface OutputParams {
  readonly file: AppendFile;
  readonly createRenderer: () => Renderer;
  readonly maxBytes: number;
}

const MAX_TAIL = 1024 * 1024;
/** A short line becomes much longer in the transcript. Small slices keep the written size close to the limit. */
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

  function appendHead(from: Stream, chunk: Buffer): void {
    write(renderer.render(from, Date.now(), chunk));
    if (file.size() < headEnd) return;
    write(renderer.rest(Date.now()));
    tail = createTailBuffer(tailBytes);
  }

  return {
    bytes: () => printed,
    append(from, chunk) {
      printed += chunk.length;
      for (let at = 0; at < chunk.length; at += SLICE) {
        if (tail !== null) return tail.push({ from, at: Date.now(), chunk: chunk.subarray(at) });
        appendHead(from, chunk.subarray(at, at + SLICE));
      }
    },
    note: (text) => write([renderer.note(Date.now(), text)]),
    finish() {
      write(renderer.rest(Date.now()));
      if (tail === null) return;
      const pieces = renderTail(tail, createRenderer(), tailBytes);
      const dropped = Math.max(0, printed - kept - sum(pieces));
      if (dropped > 0) this.note(`${dropped} bytes of output were dropped here, because only ${maxBytes} are kept.`);
      write(pieces);
      tail = null;
    },
  };
}

/** Renders the tail and returns its last pieces that fit into `maxBytes`. */
function renderTail(tail: TailBuffer, renderer: Renderer, maxBytes: number): readonly Piece[] {
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

/** Joins the text of a chunk, so that it needs only one write. */
function merge(pieces: readonly Piece[]): readonly Pick<Piece, "data">[] {
  if (pieces.some(({ data }) => typeof data !== "string")) return pieces;
  return [{ data: pieces.map(({ data }) => data).join("") }];
}

function sum(pieces: readonly Piece[]): number {
  return pieces.reduce((total, { bytes }) => total + bytes, 0);
}
