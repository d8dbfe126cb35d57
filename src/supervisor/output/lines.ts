import { StringDecoder } from "node:string_decoder";

export interface Line {
  readonly text: string;
  /** It was too long and goes on in the next one. */
  readonly goesOn: boolean;
}

export interface LineSplitter {
  push(chunk: Buffer): readonly Line[];
  /** What stands after the last line break. */
  rest(): readonly Line[];
}

/** Bytes to lines of valid text, whatever the bytes are; a longer line than `maxLength` comes in pieces. */
export function createLineSplitter(maxLength: number): LineSplitter {
  const decoder = new StringDecoder("utf8");
  let pending = "";

  function split(text: string): readonly Line[] {
    const lines: Line[] = [];
    const parts = text.split("\n");
    pending += parts[0] ?? "";
    for (const next of parts.slice(1)) {
      cut(lines);
      lines.push({ text: pending, goesOn: false });
      pending = next;
    }
    cut(lines);
    return lines;
  }

  function cut(lines: Line[]): void {
    while (pending.length > maxLength) {
      lines.push({ text: pending.slice(0, maxLength), goesOn: true });
      pending = pending.slice(maxLength);
    }
  }

  return {
    push: (chunk) => split(decoder.write(chunk)),
    rest() {
      const lines = split(decoder.end());
      const last = pending;
      pending = "";
      return last === "" ? lines : [...lines, { text: last, goesOn: false }];
    },
  };
}
