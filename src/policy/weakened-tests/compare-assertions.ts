import type { Assertion } from "./find-assertions.ts";
import type { CaseMatch } from "./match-cases.ts";
import type { TestCase, TestFile } from "./read-tests.ts";
import { countOf, withoutCounted } from "./trick.ts";
import type { Trick } from "./trick.ts";

const REMOVED_ADVICE = "Bring it back, or assert the same in another way.";
const LOOSE_ADVICE = "Keep the exact expectation and repair the code instead.";

/** What the tests that are still there assert less than before. */
export function compareAssertions(match: CaseMatch, before: readonly TestFile[], after: readonly TestFile[]): Trick[] {
  const [oldHelpers, newHelpers] = [helpersOf(before), helpersOf(after)];
  const moved = freshAssertions(match, oldHelpers, newHelpers);
  return match.pairs.flatMap((pair): Trick[] => {
    const [was, is] = [expand(pair.before, oldHelpers), expand(pair.after, newHelpers)];
    const lost = withoutCounted(was, countOf(is, textOf), textOf);
    const won = withoutCounted(is, countOf(was, textOf), textOf);
    if (lost.length === 0) return [];
    // An assertion that stands in another test now is not lost.
    const left = won.length >= lost.length ? lost : withoutCounted(lost, moved, textOf);
    return judge(pair, left, won);
  });
}

function judge(
  pair: { before: TestCase; after: TestCase },
  lost: readonly Assertion[],
  won: readonly Assertion[],
): Trick[] {
  const missing = lost.length - won.length;
  const tricks: Trick[] = [];
  const test = `The test "${pair.after.name}"`;
  if (missing > 0) {
    const [first] = lost;
    const what = `${test} lost ${missing === 1 ? "an assertion" : `${missing} assertions`} that stood at line ${first?.line ?? 0} before`;
    tricks.push({ path: pair.after.file.path, line: pair.after.line, what, advice: REMOVED_ADVICE });
  }
  const loosened =
    Math.max(...[2, 3].map((level) => atLeast(lost, level) - atLeast(won, level))) - Math.max(0, missing);
  const weaker = won.toSorted((one, other) => one.level - other.level)[0];
  if (loosened > 0 && weaker) {
    const what = `${test} expects less than before: "${shorten(weaker.text)}"`;
    tricks.push({ path: pair.after.file.path, line: weaker.line, what, advice: LOOSE_ADVICE });
  }
  return tricks;
}

function atLeast(assertions: readonly Assertion[], level: number): number {
  return assertions.filter((assertion) => assertion.level >= level).length;
}

type Helpers = ReadonlyMap<string, readonly Assertion[]>;

/** Functions outside of tests that assert something. Those of one name in several files count with the most they say. */
export function helpersOf(files: readonly TestFile[]): Helpers {
  const helpers = new Map<string, readonly Assertion[]>();
  for (const helper of files.flatMap((file) => file.helpers)) {
    const known = helpers.get(helper.name);
    if (helper.assertions.length > (known?.length ?? 0)) helpers.set(helper.name, helper.assertions);
  }
  return helpers;
}

/** The assertions of a test with those of the helpers it calls in their place. */
export function expand(test: TestCase, helpers: Helpers): Assertion[] {
  const own = test.assertions.filter((assertion) => assertion.calls === null || !helpers.has(assertion.calls));
  if (helpers.size === 0) return own;
  const all = [...own];
  for (const assertion of calledIn(test, helpers)) {
    if (all.push({ ...assertion, line: test.line }) - own.length >= MOST_CALLED) break;
  }
  return all;
}

/** Helpers that call helpers that call helpers: a few words may stand for millions of assertions. */
const MOST_CALLED = 300;

function* calledIn(test: TestCase, helpers: Helpers): Generator<Assertion, undefined> {
  for (const call of test.body.matchAll(/(\w+)\(/g)) yield* follow(call[1] ?? "", helpers, 0);
}

function* follow(name: string, helpers: Helpers, depth: number): Generator<Assertion, undefined> {
  if (depth > 2) return;
  for (const assertion of helpers.get(name)?.slice(0, 50) ?? []) {
    let isDeeper = false;
    if (assertion.calls !== null && assertion.calls !== name) {
      for (const inner of follow(assertion.calls, helpers, depth + 1)) {
        isDeeper = true;
        yield inner;
      }
    }
    if (!isDeeper) yield assertion;
  }
}

/** Assertions that are new where they stand: in fresh tests, or beyond what a test had. */
function freshAssertions(match: CaseMatch, oldHelpers: Helpers, newHelpers: Helpers): Map<string, number> {
  const inPairs = match.pairs.flatMap((pair) => {
    const was = countOf(expand(pair.before, oldHelpers), textOf);
    return withoutCounted(expand(pair.after, newHelpers), was, textOf);
  });
  return countOf([...inPairs, ...match.fresh.flatMap((test) => expand(test, newHelpers))], textOf);
}

export function textOf(assertion: Assertion): string {
  return assertion.text;
}

export function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
