import { StringDecoder } from "node:string_decoder";

export interface Line {
  readonly text: string;
  /** The line was too long, and the next one continues it. */
  readonly isContinued: boolean;
}

export interface LineSplitter {
  push(chunk: Buffer): readonly Line[];
  /** Returns the text after the last line break. */
  rest(): readonly Line[];
}

/** Splits any bytes into lines of valid text. A line that is longer than `maxLength` is split. */
export function createLineSplitter(maxLength: number): LineSplitter {
  const decoder = new StringDecoder("utf8");
  let pending = "";

  function split(text: string): readonly Line[] {
    const lines: Line[] = [];
    const parts = text.split("\n");
    pending += parts[0] ?? "";
    for (const next of parts.slice(1)) {
      cut(lines);
      lines.push({ text: pending, isContinued: false });
      pending = next;
    }
    cut(lines);
    return lines;
  }

  function cut(lines: Line[]): void {
    while (pending.length > maxLength) {
      lines.push({ text: pending.slice(0, maxLength), isContinued: true });
      pending = pending.slice(maxLength);
    }
  }

  return {
    push: (chunk) => split(decoder.write(chunk)),
    rest() {
      const lines = split(decoder.end());
      const last = pending;
      pending = "";
      return last === "" ? lines : [...lines, { text: last, isContinued: false }];
    },
  };
}
