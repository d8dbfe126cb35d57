import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffLines } from "./diff-lines.ts";

/** Without the changed lines, both sides must be equal. */
function kept(lines: readonly string[], changed: readonly number[]): string[] {
  const out = new Set(changed);
  return lines.filter((_, at) => !out.has(at));
}

/** Length of the longest common subsequence, by the textbook algorithm. */
function common(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, () => 0);
  for (const line of one) {
    const next = [0];
    for (const [at, there] of other.entries()) {
      next.push(line === there ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

describe("diffLines", () => {
  test.each([
    ["nothing", "abc", "abc", { removed: [], added: [] }],
    ["one changed", "abc", "axc", { removed: [1], added: [1] }],
    ["put in front", "ab", "xab", { removed: [], added: [0] }],
    ["all gone", "ab", "", { removed: [0, 1], added: [] }],
    ["moved", "abcd", "bcda", { removed: [0], added: [3] }],
  ])("%s", (_, before, after, expected) => {
    expect(diffLines(before.split(""), after.split(""))).toEqual(expected);
  });

  test("is a valid and minimal difference", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 40 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { removed, added } = diffLines(before, after);
        expect(kept(before, removed)).toEqual(kept(after, added));
        expect(before.length - removed.length).toBe(common(before, after));
      }),
      { numRuns: 500 },
    );
  });

  test("is valid and fast for inputs where the minimal difference would take too long", () => {
    const before = Array.from({ length: 40_000 }, (_, at) => (at % 3 === 0 ? "}" : `line ${at}`));
    const after = before.toReversed().flatMap((line, at) => (at % 7 === 0 ? [line, "}"] : [line]));
    const started = performance.now();
    const { removed, added } = diffLines(before, after);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(kept(before, removed)).toEqual(kept(after, added));
    expect(removed.length).toBeGreaterThan(20_000);
  });
});
