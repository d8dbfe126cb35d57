export interface LineRegions {
  /**
   * Calls back with the complete lines so far, in as few regions as possible. Regions are only valid during the call, because
   * only incomplete lines are copied from the chunk.
   */
  push(chunk: Buffer, take: (region: Buffer) => void): void;
  /** Returns the text after the last line break. */
  rest(): Buffer;
}

const NEWLINE = 10;

/** Skips lines longer than `maxBytes`. */
export function createLineRegions(maxBytes: number): LineRegions {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let isTooLong = false;

  function append(part: Buffer): void {
    bufferedBytes += part.length;
    isTooLong ||= bufferedBytes > maxBytes;
    if (isTooLong) buffered = [];
    else if (part.length > 0) buffered.push(Buffer.from(part));
  }

  function takeLine(): Buffer {
    const line = buffered.length === 1 && buffered[0] !== undefined ? buffered[0] : Buffer.concat(buffered);
    buffered = [];
    bufferedBytes = 0;
    isTooLong = false;
    return line;
  }

  return {
    push(chunk, take) {
      const first = chunk.indexOf(NEWLINE) + 1;
      if (first === 0) return append(chunk);
      const last = chunk.lastIndexOf(NEWLINE) + 1;
      // If the chunk starts with a new line, all of its complete lines are one region.
      const isFresh = bufferedBytes === 0;
      if (!isFresh) {
        append(chunk.subarray(0, first));
        take(takeLine());
      }
      const from = isFresh ? 0 : first;
      if (from < last) take(from === 0 && last === chunk.length ? chunk : chunk.subarray(from, last));
      if (last < chunk.length) append(chunk.subarray(last));
    },
    rest: takeLine,
  };
}
