import type { FileChange, FileSide } from "../../core/change/file-change.ts";
import { diffLines, type LineDiff } from "../../core/change/diff-lines.ts";

/** A changed file for the diff rules. It is decoded and compared once, on demand. */
export interface ChangedFile {
  readonly path: string;
  readonly change: FileChange;
  readonly before: TextSide | null;
  readonly after: TextSide | null;
  /** Empty if a side is not text. */
  readonly diff: () => LineDiff;
}

export interface TextSide {
  readonly text: string;
  readonly lines: readonly string[];
  readonly binary: boolean;
}

const NO_DIFF: LineDiff = { removed: [], added: [] };

export function readChangedFile(change: FileChange): ChangedFile {
  const [before, after] = [readSide(change.before), readSide(change.after)];
  let known: LineDiff | undefined;
  const compare = (): LineDiff =>
    isHidden(change, before, after) ? NO_DIFF : diffLines(before?.lines ?? [], after?.lines ?? []);
  return { path: change.path, change, before, after, diff: () => (known ??= compare()) };
}

/** Binary files have no lines, but source code has, whatever bytes were put into it. */
function isHidden(change: FileChange, before: TextSide | null, after: TextSide | null): boolean {
  return (before?.binary === true || after?.binary === true) && !isSource(change.path);
}

const SOURCE =
  /\.([cm]?[jt]sx?|vue|svelte|py|pyi|go|java|kts?|scala|groovy|rs|rb|php|cs|swift|c|h|cc|cpp|hpp|sh|bash|ya?ml|json|toml|xml|html|css|md|sql)$/i;

export function isSource(path: string): boolean {
  return SOURCE.test(path);
}

function readSide(side: FileSide | null): TextSide | null {
  if (side?.content == null || side.kind === "link") return null;
  const text = new TextDecoder().decode(side.content);
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return { text, lines, binary: isBinary(side.content) };
}

const SAMPLE_BYTES = 8192;

/** A NUL byte anywhere, or a beginning that is mostly not text. */
function isBinary(content: Uint8Array): boolean {
  if (content.includes(0)) return true;
  const head = content.subarray(0, SAMPLE_BYTES);
  let odd = 0;
  for (let at = 0; at < head.length; at++) {
    const byte = head[at] ?? 0;
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127) odd++;
  }
  return odd > head.length / 20;
}

/** The first changed line in the new file, or else in the old one. */
export function firstLine(file: ChangedFile): number | null {
  const { added, removed } = file.diff();
  const first = added[0] ?? removed[0];
  return first === undefined ? null : first + 1;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
