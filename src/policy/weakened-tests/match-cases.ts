import type { TestFile, TestCase } from "./read-tests.ts";
import { countOf } from "./weakening.ts";

/** Pairs of old and new tests over all files, because tests may be renamed and moved for good reasons. */
export interface CaseMatch {
  readonly pairs: readonly { readonly before: TestCase; readonly after: TestCase }[];
  readonly gone: readonly TestCase[];
  readonly fresh: readonly TestCase[];
}

export function matchCases(before: readonly TestFile[], after: readonly TestFile[]): CaseMatch {
  const pairs: { before: TestCase; after: TestCase }[] = [];
  let gone = before.flatMap((file) => file.cases);
  let fresh = after.flatMap((file) => file.cases);
  const matchBy = (keyOf: (test: TestCase) => string): void => {
    if (gone.length === 0 || fresh.length === 0) return;
    const waiting = Map.groupBy(fresh.toReversed(), keyOf);
    const taken = new Set<TestCase>();
    gone = gone.filter((test) => {
      const found = waiting.get(keyOf(test))?.pop();
      if (!found) return true;
      pairs.push({ before: test, after: found });
      taken.add(found);
      return false;
    });
    fresh = fresh.filter((test) => !taken.has(test));
  };
  matchBy((test) => `${test.file.path}\0${test.name}\0${test.body}`);
  matchBy((test) => `${test.file.path}\0${test.name}`);
  matchBy((test) => `${test.file.ecosystem.name}\0${test.body}`);
  matchBy((test) => `${test.file.ecosystem.name}\0${test.name}`);
  for (const [test, found] of findSimilar(gone, fresh)) pairs.push({ before: test, after: found });
  const matched = new Set(pairs.flatMap((pair) => [pair.before, pair.after]));
  return { pairs, gone: gone.filter((test) => !matched.has(test)), fresh: fresh.filter((test) => !matched.has(test)) };
}

/** Above this number of pairs, tests are not compared by their words. */
const MAX_COMPARED = 4000;
const MIN_SIMILARITY = 0.7;

/** Tests that were renamed and slightly changed. */
function findSimilar(gone: readonly TestCase[], fresh: readonly TestCase[]): Map<TestCase, TestCase> {
  const found = new Map<TestCase, TestCase>();
  if (gone.length * fresh.length > MAX_COMPARED) return found;
  const left = new Map(fresh.map((test) => [test, wordsOf(test.body)]));
  for (const test of gone) {
    const words = wordsOf(test.body);
    let best: TestCase | undefined;
    let most = MIN_SIMILARITY;
    for (const [other, otherWords] of left) {
      const alike = other.file.ecosystem === test.file.ecosystem ? similarity(words, otherWords) : 0;
      if (alike >= most) [best, most] = [other, alike];
    }
    if (!best) continue;
    found.set(test, best);
    left.delete(best);
  }
  return found;
}

function wordsOf(body: string): Map<string, number> {
  return countOf(body.slice(0, 20_000).match(/\w+/g) ?? [], (word) => word);
}

function similarity(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let shared = 0;
  let all = 0;
  for (const [word, count] of one) {
    shared += Math.min(count, other.get(word) ?? 0);
    all += count;
  }
  for (const count of other.values()) all += count;
  return all === 0 ? 0 : (2 * shared) / all;
}
