/** What the detector needs to know about a language and its test runners. Plain data, one file per ecosystem. */
export interface Ecosystem {
  readonly name: string;
  readonly file: RegExp;
  /** Paths that the usual test runners search. */
  readonly runs: RegExp;
  /** Paths that belong to the tests: tests and their helpers. */
  readonly near: RegExp;
  /** Marks a source file that contains tests. Absent if tests are always in separate files. */
  readonly inSource?: RegExp;
  /** Matches comments and strings. Global; comments in a group named `comment`. */
  readonly literal: RegExp;
  /** Blocks are marked by indentation instead of brackets. */
  readonly isIndented?: true;
  /** Matches the start of a test in code without comments and strings. Its name is in a group `name`, or else its first string. */
  readonly test: RegExp;
  /** Lines before a test that belong to it. */
  readonly decorator?: RegExp;
  /** Matches the start of any function, with its name in the first group. */
  readonly routine: RegExp;
  /** Matches the start of an assertion. If it starts before the match (`a shouldBe b`), that part is in a group named `infix`. */
  readonly assertion: RegExp;
  /** Whether the condition around a call is the assertion: `if got != want { t.Error() }`. */
  readonly conditional?: true;
  /** Assertions that check little (existence, truth) or some (a part, a range). All others count as exact. */
  readonly slight: RegExp;
  readonly partial: RegExp;
  /** A test that takes its cases from a table or a loop. */
  readonly table: RegExp;
  readonly skip: RegExp;
  /** Matches code that replaces an assertion or the runner's functions, in any file. Global. */
  readonly override?: RegExp;
  readonly swallow: readonly SwallowRule[];
  readonly numbers: readonly NumberRule[];
}

/** A block that ignores failures. */
export interface SwallowRule {
  /** Ends at the bracket that opens the block, or at the line that opens it (by indentation). */
  readonly open: RegExp;
  /** What must follow the block. */
  readonly then?: RegExp;
  /** What in the rest of it shows that a failure still counts. */
  readonly unless: RegExp;
}

/** A number that weakens a test when it grows or shrinks. */
export interface NumberRule {
  readonly trick: "timeout raised" | "retry added" | "expectation loosened" | "coverage threshold lowered";
  /** Matches the number in a group `n` and optionally its unit in a group `unit`. Global and multiline. */
  readonly pattern: RegExp;
  /** Set if a smaller number weakens the test. Otherwise a larger one does. */
  readonly smallerIsWorse?: true;
  /** From which value on adding the number counts. Without it, adding never counts. */
  readonly added?: number;
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(ms|milli)/i, 1],
  [/^(h|hour)/i, 3_600_000],
  [/^m(in|$)/i, 60_000],
  [/^s/i, 1000],
];

/** In milliseconds if a unit is given, else unchanged. */
export function readNumber(digits: string, unit: string | undefined): number {
  const value = Number(digits.replaceAll("_", ""));
  const factor = unit === undefined ? 1 : (UNITS.find(([known]) => known.test(unit))?.[1] ?? 1);
  return value * factor;
}
