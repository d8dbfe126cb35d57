import { describe, expect, test } from "vitest";
import { checkDiff } from "./check-diff.ts";
import { changesOf, RULES } from "./fixtures/fixture.ts";
import type { Fixture } from "./fixtures/fixture.ts";
import { GO } from "./fixtures/go.ts";
import { HONEST } from "./fixtures/honest.ts";
import { JAVASCRIPT } from "./fixtures/javascript.ts";
import { JVM } from "./fixtures/jvm.ts";
import { PYTHON } from "./fixtures/python.ts";
import { RUST } from "./fixtures/rust.ts";

const ECOSYSTEMS = [
  ["JavaScript", JAVASCRIPT],
  ["Python", PYTHON],
  ["Go", GO],
  ["Java and Scala", JVM],
  ["Rust", RUST],
] as const;

/** What a trick looks like in the name of a fixture, and what has to be said about it: the first that fits counts. */
const TRICKS: readonly (readonly [name: RegExp, says: RegExp])[] = [
  [/^(failure ignored|no tests pass|tests left out|tests skipped (by|in))/, /lets a check pass/],
  [/^(assertion|failure) (in|suppressed|recovered)/, /is caught and goes nowhere/],
  [/^assertion/, /lost an assertion/],
  [/^expectation loosened/, /expects less than before/],
  [/^tolerance widened/, /expectation was loosened/],
  [/skipped|^only|todo|expected to fail/, /is left out/],
  [/deleted/, /is gone|are gone|was deleted/],
  [/renamed|^annotation|^attribute/, /no runner/],
  [/^timeout raised/, /timeout was raised/],
  [/^retry added/, /retry was added/],
  [/^snapshot/, /recorded result/],
  [/^coverage threshold/, /threshold/],
];

const weakened = (fixture: Pick<Fixture, "before" | "after">) =>
  checkDiff(changesOf(fixture), RULES).filter((finding) => finding.rule === "weakened_test");

describe("weakened tests", () => {
  describe.each(ECOSYSTEMS)("in %s", (_, fixtures) => {
    test("every trick is tried", () => {
      const tried = new Set(fixtures.map(({ name }) => TRICKS.findIndex(([known]) => known.test(name))));
      expect([...tried].toSorted((one, other) => one - other)).toEqual(TRICKS.map((_trick, at) => at));
    });

    test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))("%s", (name, fixture) => {
      const says = TRICKS.find(([known]) => known.test(name))?.[1];
      const findings = weakened(fixture);
      const found = findings.find((finding) => says?.test(finding.message));
      expect(found?.severity, JSON.stringify(findings)).toBe("error");
      const sides = [fixture.before, fixture.after].map((files) => files[found?.path ?? ""]?.split("\n").length ?? 0);
      expect(found?.line).toBeGreaterThan(0);
      expect(found?.line).toBeLessThanOrEqual(Math.max(...sides));
      // The way back says nothing of the kind: it is the direction that counts, not the difference.
      if (!/snapshot/.test(name)) expect(weakened({ before: fixture.after, after: fixture.before })).toEqual([]);
    });
  });

  test.each(HONEST.map((fixture) => [fixture.name, fixture] as const))("says nothing about: %s", (_name, fixture) => {
    expect(weakened(fixture)).toEqual([]);
  });

  test("names the line: of the file as it is, or as it was where nothing is left", () => {
    const [path = "", before = ""] = Object.entries(JAVASCRIPT[0]?.before ?? {})[0] ?? [];
    const after = before.replace("expect(cart.total).toBe(5)", "expect(cart.total).toBeTruthy()");
    expect(weakened({ before: { [path]: before }, after: { [path]: after } })).toMatchObject([{ path, line: 6 }]);
    const [gone] = weakened({ before: { [path]: before }, after: {} });
    expect(gone).toMatchObject({ path, line: 4, message: expect.stringContaining("the line is of the file before") });
  });

  test("what is only shown is a warning, and so is a new test that is skipped", () => {
    const [skipped] = JAVASCRIPT.filter((fixture) => fixture.name === "test skipped");
    const shown = checkDiff(changesOf(skipped ?? { before: {}, after: {} }), { ...RULES, weakenedTests: "show" });
    expect(shown).toMatchObject([{ rule: "weakened_test", severity: "warning" }]);
    const fresh = weakened({
      before: {},
      after: { "a.test.ts": 'test.skip("x", () => {\n  expect(a).toBe(1);\n});\n' },
    });
    expect(fresh).toMatchObject([{ severity: "warning" }]);
  });

  test("tests that go with what they test are a warning", () => {
    const [path = "", text = ""] = Object.entries(JAVASCRIPT[0]?.before ?? {})[0] ?? [];
    const both = { before: { [path]: text, "src/cart.ts": "export {};\n" }, after: {} };
    expect(weakened(both)).toMatchObject([{ path, severity: "warning" }]);
  });
});
