export interface LineRegions {
  /**
   * Takes whole lines that are there by now, in as few pieces as possible. Chunks are lent, and so are regions: only what
   * has to wait for the end of its line is copied.
   */
  push(chunk: Buffer, take: (region: Buffer) => void): void;
  /** What came after the last line break. */
  rest(): Buffer;
}

const NEWLINE = 10;

/** A line longer than `maxBytes` is passed over. */
export function createLineRegions(maxBytes: number): LineRegions {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isTooLong = false;

  function hold(part: Buffer): void {
    heldBytes += part.length;
    isTooLong ||= heldBytes > maxBytes;
    if (isTooLong) held = [];
    else if (part.length > 0) held.push(Buffer.from(part));
  }

  function release(): Buffer {
    const line = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    isTooLong = false;
    return line;
  }

  return {
    push(chunk, take) {
      const first = chunk.indexOf(NEWLINE) + 1;
      if (first === 0) return hold(chunk);
      const last = chunk.lastIndexOf(NEWLINE) + 1;
      // Where a line begins with the chunk, its lines are one piece.
      const isFresh = heldBytes === 0;
      if (!isFresh) {
        hold(chunk.subarray(0, first));
        take(release());
      }
      const from = isFresh ? 0 : first;
      if (from < last) take(from === 0 && last === chunk.length ? chunk : chunk.subarray(from, last));
      if (last < chunk.length) hold(chunk.subarray(last));
    },
    rest: release,
  };
}
