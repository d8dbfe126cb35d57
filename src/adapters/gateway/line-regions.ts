export interface LineRegions {
  /** Whole lines that are there by now, in as few pieces as possible and without copying more than one of them. */
  push(chunk: Buffer): readonly Buffer[];
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
    else if (part.length > 0) held.push(part);
  }

  function release(): Buffer {
    const line = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    isTooLong = false;
    return line;
  }

  return {
    push(chunk) {
      const first = chunk.indexOf(NEWLINE) + 1;
      if (first === 0) {
        hold(chunk);
        return [];
      }
      const last = chunk.lastIndexOf(NEWLINE) + 1;
      hold(chunk.subarray(0, first));
      const regions = [release(), chunk.subarray(first, last)];
      hold(chunk.subarray(last));
      return regions.filter(({ length }) => length > 0);
    },
    rest: release,
  };
}
