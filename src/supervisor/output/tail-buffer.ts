import type { Stream } from "./render.ts";

export interface Frame {
  readonly from: Stream;
  readonly at: number;
  readonly chunk: Buffer;
}

/** Keeps the latest output, at least `capacity` and at most twice as many bytes, in a fixed amount of memory. */
export interface TailBuffer {
  push(frame: Frame): void;
  frames(): readonly Frame[];
}

const HEADER = 13;

export function createTailBuffer(capacity: number): TailBuffer {
  // Frames are packed into two blocks, so that a million one-byte chunks do not need a million objects. When the newer
  // block is full, the older one is dropped.
  const size = capacity + HEADER;
  let older = { bytes: Buffer.alloc(0), used: 0 };
  let newer = { bytes: Buffer.allocUnsafe(size), used: 0 };

  function dropOlder(): void {
    const bytes = older.bytes.length === size ? older.bytes : Buffer.allocUnsafe(size);
    older = newer;
    newer = { bytes, used: 0 };
  }

  return {
    push({ from, at, chunk }) {
      const kept = chunk.subarray(Math.max(0, chunk.length - capacity));
      if (newer.used + HEADER + kept.length > size) dropOlder();
      newer.bytes.writeDoubleLE(at, newer.used);
      newer.bytes.writeUInt8(from === "stdout" ? 1 : 2, newer.used + 8);
      newer.bytes.writeUInt32LE(kept.length, newer.used + 9);
      kept.copy(newer.bytes, newer.used + HEADER);
      newer.used += HEADER + kept.length;
    },
    frames: () => [older, newer].flatMap(unpack),
  };
}

function unpack(block: { readonly bytes: Buffer; readonly used: number }): readonly Frame[] {
  const frames: Frame[] = [];
  for (let position = 0; position < block.used;) {
    const start = position + HEADER;
    const end = start + block.bytes.readUInt32LE(position + 9);
    frames.push({
      at: block.bytes.readDoubleLE(position),
      from: block.bytes.readUInt8(position + 8) === 1 ? "stdout" : "stderr",
      chunk: block.bytes.subarray(start, end),
    });
    position = end;
  }
  return frames;
}
