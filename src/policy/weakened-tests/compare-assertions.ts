import type { Assertion } from "./find-assertions.ts";
import type { CaseMatch } from "./match-cases.ts";
import type { TestCase, TestFile } from "./read-tests.ts";
import { countOf, withoutCounted, type Weakening } from "./weakening.ts";

const REMOVED_ADVICE =
  "Restore it, or assert the same in another way. An assertion that is never reached or always holds counts as removed.";
const LOOSE_ADVICE = "Keep the exact expectation and fix the code instead.";

/** Finds assertions that existing tests lost or weakened. */
export function compareAssertions(
  match: CaseMatch,
  before: readonly TestFile[],
  after: readonly TestFile[],
): Weakening[] {
  const [oldHelpers, newHelpers] = [helpersOf(before), helpersOf(after)];
  const moved = freshAssertions(match, oldHelpers, newHelpers);
  return match.pairs.flatMap((pair): Weakening[] => {
    const [was, is] = [expand(pair.before, oldHelpers), expand(pair.after, newHelpers)];
    const lost = withoutCounted(was, countOf(is, textOf), textOf);
    const won = withoutCounted(is, countOf(was, textOf), textOf);
    if (lost.length === 0) return [];
    // An assertion that moved to another test is not lost.
    const left = won.length >= lost.length ? lost : withoutCounted(lost, moved, textOf);
    return compareTest(pair, left, won);
  });
}

function compareTest(
  pair: { before: TestCase; after: TestCase },
  lost: readonly Assertion[],
  won: readonly Assertion[],
): Weakening[] {
  const missing = lost.length - won.length;
  const weakenings: Weakening[] = [];
  const test = `The test "${pair.after.name}"`;
  if (missing > 0) {
    const [first] = lost;
    const what = `${test} lost ${missing === 1 ? "an assertion" : `${missing} assertions`} (at line ${first?.line ?? 0} before the change)`;
    weakenings.push({ path: pair.after.file.path, line: pair.after.line, what, advice: REMOVED_ADVICE });
  }
  const inverted = won.find(({ text }) => INVERTED.test(text));
  if (inverted) {
    const what = `${test} passes if it fails now, because of "${shorten(inverted.text)}"`;
    weakenings.push({ path: pair.after.file.path, line: inverted.line, what, advice: LOOSE_ADVICE });
  }
  const loosened =
    Math.max(...[2, 3].map((level) => atLeast(lost, level) - atLeast(won, level))) - Math.max(0, missing);
  const weaker = won.toSorted((one, other) => one.level - other.level)[0];
  if (loosened > 0 && weaker) {
    const when = weaker.isConditional ? ", under a condition" : "";
    const what = `${test} expects less than before: "${shorten(weaker.text)}"${when}`;
    weakenings.push({ path: pair.after.file.path, line: weaker.line, what, advice: LOOSE_ADVICE });
  }
  return weakenings;
}

/** Rust: counts as an assertion of a new test, and turns an existing one around. */
const INVERTED = /^#\[should_panic\b/;

function atLeast(assertions: readonly Assertion[], level: number): number {
  return assertions.filter((assertion) => assertion.level >= level).length;
}

type Helpers = ReadonlyMap<string, readonly Assertion[]>;

/** Functions outside of tests that assert something. For equal names in several files, the one with most assertions counts. */
export function helpersOf(files: readonly TestFile[]): Helpers {
  const helpers = new Map<string, readonly Assertion[]>();
  for (const helper of files.flatMap((file) => file.helpers)) {
    const known = helpers.get(helper.name);
    if (helper.assertions.length > (known?.length ?? 0)) helpers.set(helper.name, helper.assertions);
  }
  return helpers;
}

/** The assertions of a test, including those of the helpers it calls. */
export function expand(test: TestCase, helpers: Helpers): Assertion[] {
  const own = test.assertions.filter((assertion) => assertion.calls === null || !helpers.has(assertion.calls));
  if (helpers.size === 0) return own;
  const all = [...own];
  for (const assertion of calledIn(test, helpers)) {
    if (all.push({ ...assertion, line: test.line }) - own.length >= MAX_CALLED) break;
  }
  return all;
}

/** Limit for nested helpers, because a few lines could expand to millions of assertions. */
const MAX_CALLED = 300;

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

/** Assertions that are new: in new tests, or in addition to what a test had. */
function freshAssertions(match: CaseMatch, oldHelpers: Helpers, newHelpers: Helpers): Map<string, number> {
  const inPairs = match.pairs.flatMap((pair) => {
    const was = countOf(expand(pair.before, oldHelpers), textOf);
    return withoutCounted(expand(pair.after, newHelpers), was, textOf);
  });
  return countOf([...inPairs, ...match.fresh.flatMap((test) => expand(test, newHelpers))], textOf);
}

export function textOf({ text, isConditional }: Assertion): string {
  return isConditional ? `if ${text}` : text;
}

export function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
