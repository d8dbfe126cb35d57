import { findChangedPart } from "../../../../../src/core/change/changed-part.ts";
import type { PatchLine } from "../../../../../src/core/change/read-hunks.ts";

/** A line with the line that it replaces or is replaced by, and its place among the lines of its side, for colours. */
export interface CodeLine extends PatchLine {
  readonly partner: string | null;
  readonly oldIndex: number;
  readonly newIndex: number;
}

/** Pairs the removed lines of each block with the added ones that replace them. */
export function withPartners(
  lines: readonly PatchLine[],
  from: { readonly old: number; readonly new: number },
): CodeLine[] {
  const index = { old: from.old, new: from.new };
  const result: CodeLine[] = [];
  for (let at = 0; at < lines.length;) {
    const removed = takeWhile(lines, at, "removed");
    const added = takeWhile(lines, at + removed.length, "added");
    const block = removed.length + added.length === 0 ? lines.slice(at, at + 1) : [...removed, ...added];
    const partners = findPartners(removed, added);
    for (const line of block) {
      result.push({ ...line, partner: partners.get(line) ?? null, oldIndex: index.old, newIndex: index.new });
      if (line.oldLine !== null) index.old += 1;
      if (line.newLine !== null) index.new += 1;
    }
    at += block.length;
  }
  return result;
}

const MAX_COMPARED = 40;

/** The text of the line that each line replaces or is replaced by: the one at the same place, or else the most similar one. */
function findPartners(removed: readonly PatchLine[], added: readonly PatchLine[]): ReadonlyMap<PatchLine, string> {
  const partners = new Map<PatchLine, string>();
  const left = [...added];
  for (const [at, line] of removed.entries()) {
    const isEven = removed.length === added.length || removed.length + added.length > MAX_COMPARED;
    const other = isEven ? added[at] : findMostSimilar(line, left);
    if (other === undefined) continue;
    left.splice(left.indexOf(other), 1);
    partners.set(line, other.text);
    partners.set(other, line.text);
  }
  return partners;
}

function findMostSimilar({ text }: PatchLine, others: readonly PatchLine[]): PatchLine | undefined {
  const similarity = (other: PatchLine): number => {
    const part = findChangedPart(text, other.text);
    return part === null ? 0 : text.length - (part.end - part.start);
  };
  const best = others.toSorted((a, b) => similarity(b) - similarity(a))[0];
  return best !== undefined && similarity(best) > 0 ? best : undefined;
}

export function takeWhile(lines: readonly PatchLine[], from: number, kind: PatchLine["kind"]): readonly PatchLine[] {
  let to = from;
  while (lines[to]?.kind === kind) to += 1;
  return lines.slice(from, to);
}
