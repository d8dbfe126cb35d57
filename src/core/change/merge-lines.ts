import { diffLines } from "./diff-lines.ts";

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Both texts as one list: what was removed, what was added and what is the same. */
export function mergeLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const { removed, added } = diffLines(before, after);
  const [gone, come] = [new Set(removed), new Set(added)];
  const merged: DiffLine[] = [];
  let at = 0;
  for (const [index, text] of after.entries()) {
    for (; gone.has(at); at += 1) merged.push({ sign: "-", text: before[at] ?? "" });
    merged.push({ sign: come.has(index) ? "+" : " ", text });
    if (!come.has(index)) at += 1;
  }
  for (; at < before.length; at += 1) merged.push({ sign: "-", text: before[at] ?? "" });
  return merged;
}

/** Only the changed lines, with some lines around each of them. Null marks a place where lines are left out. */
export function cutUnchanged(lines: readonly DiffLine[], context: number): readonly (DiffLine | null)[] {
  const isShown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ sign }) => sign !== " "),
  );
  return lines.flatMap((line, index) => {
    if (isShown[index] === true) return [line];
    return index > 0 && isShown[index - 1] === true && isShown.indexOf(true, index) !== -1 ? [null] : [];
  });
}
