/** What has to be known about a language and its test runners to see a test being weakened. Data: one file per ecosystem. */
export interface Ecosystem {
  readonly name: string;
  readonly file: RegExp;
  /** Paths whose tests the usual runners find. */
  readonly runs: RegExp;
  /** Paths that belong to the tests: what runs, and what helps it. */
  readonly near: RegExp;
  /** What makes any file one with tests in it; null where tests have files of their own. */
  readonly inSource: RegExp | null;
  /** Comments and strings, global; comments in a group named `comment`. */
  readonly literal: RegExp;
  readonly blocks: "brackets" | "indent";
  /** Where a test begins, on code without comments and strings; its name in a group `name`, or else its first string. */
  readonly test: RegExp;
  /** Lines in front of a test that belong to it. */
  readonly decorator: RegExp | null;
  /** Where any function begins, with its name in the first group. */
  readonly routine: RegExp;
  /** Where an assertion begins; one that begins before the match (`a shouldBe b`) is in a group named `infix`. */
  readonly assertion: RegExp;
  /** Whether the condition around a call is what is asserted: `if got != want { t.Error() }`. */
  readonly conditional: boolean;
  /** Assertions that say little (existence, truth) and some (a part, a range); all others count as exact. */
  readonly slight: RegExp;
  readonly partial: RegExp;
  /** A test that gets its cases from a table or a loop. */
  readonly table: RegExp;
  readonly skip: RegExp;
  readonly swallow: readonly SwallowRule[];
  readonly numbers: readonly NumberRule[];
}

/** A block whose failures go nowhere. */
export interface SwallowRule {
  /** Ends at the bracket that opens the block, or (by indentation) on the line that does. */
  readonly open: RegExp;
  /** What has to follow the block; null for nothing. */
  readonly then: RegExp | null;
  /** What in the rest of it shows that a failure still counts. */
  readonly unless: RegExp;
}

/** A number that makes a test weaker when it grows or shrinks. */
export interface NumberRule {
  readonly trick: "timeout raised" | "retry added" | "expectation loosened" | "coverage threshold lowered";
  /** The number in a group `n`, its unit perhaps in a group `unit`. Global and multiline. */
  readonly pattern: RegExp;
  readonly worse: "larger" | "smaller";
  /** From which number on it counts to write one where none was; null for never. */
  readonly added: number | null;
  /** Whether it counts to take it away. */
  readonly removed: boolean;
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(ms|milli)/i, 1],
  [/^(h|hour)/i, 3_600_000],
  [/^m(in|$)/i, 60_000],
  [/^s/i, 1000],
];

/** In milliseconds where a unit is named, else as it stands. */
export function readNumber(digits: string, unit: string | undefined): number {
  const value = Number(digits.replaceAll("_", ""));
  const factor = unit === undefined ? 1 : (UNITS.find(([known]) => known.test(unit))?.[1] ?? 1);
  return value * factor;
}
