import type { FileChange } from "../../core/change/file-change.ts";
import { indexLines } from "../../core/text/line-index.ts";

/** The text that a change adds, with offsets and line numbers. */
export interface AddedText {
  readonly path: string;
  readonly text: string;
  /** The content is not text in any known encoding; each byte is one character. */
  readonly isBinary: boolean;
  /** Returns the line of an offset, starting at one. */
  lineAt(offset: number): number;
  startOf(line: number): number;
  /** Whether any line from `start` to `end` is new. */
  isAdded(start: number, end: number): boolean;
}

/** Returns null if there is nothing to scan: removed files, submodules, contents that were not read. */
export function readChange({ path, before, after }: FileChange): AddedText | null {
  if (after === null || after.content === null) return null;
  const { text, isBinary } = decode(after.content);
  const old = before?.content ? new Set(decode(before.content).text.split("\n")) : null;
  const { lineAt, startOf } = indexLines(text);
  return {
    path,
    text,
    isBinary,
    lineAt: (offset) => lineAt(offset) + 1,
    startOf: (line) => startOf(line - 1),
    isAdded(start, end) {
      if (old === null) return true;
      const lines = text.slice(startOf(lineAt(start)), endOfLine(text, end)).split("\n");
      return lines.some((line) => !old.has(line));
    },
  };
}

/** Decodes any known encoding, so that another encoding or a NUL byte hides nothing. */
function decode(content: Uint8Array): { readonly text: string; readonly isBinary: boolean } {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder("utf-16le").decode(content), isBinary: false };
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder("utf-16be").decode(content), isBinary: false };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content), isBinary: false };
  } catch {
    return { text: Buffer.from(content).toString("latin1"), isBinary: true };
  }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", Math.max(0, at - 1));
  return end === -1 ? text.length : end;
}
