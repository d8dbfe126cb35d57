import { describe, expect, test } from "vitest";
import { checkDiff } from "./check-diff.ts";
import { changesOf, RULES, type Fixture } from "./fixtures/fixture.ts";
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

/** Patterns for fixture names, and for the message that is expected. The first match counts. */
const WEAKENINGS: readonly (readonly [name: RegExp, says: RegExp])[] = [
  [/^(failure ignored|no tests pass|tests left out|tests skipped (by|in))/, /hides a failing check/],
  [/^(assertion|failure) (in|suppressed|recovered)/, /is caught and ignored/],
  [/^assertion/, /lost (an assertion|\d+ assertions)/],
  [/^expectation loosened/, /expects less than before/],
  [/^tolerance widened/, /expectation was loosened/],
  [/skipped|^only|todo|expected to fail/, /is skipped/],
  [/deleted/, /(was|were) removed|was deleted/],
  [/renamed|^annotation|^attribute/, /no test runner/],
  [/^timeout raised/, /timeout was raised/],
  [/^retry added/, /retry was added/],
  [/^snapshot/, /snapshot was/],
  [/^coverage threshold/, /threshold/],
];

const weakened = (fixture: Pick<Fixture, "before" | "after">) =>
  checkDiff(changesOf(fixture), RULES).filter((finding) => finding.rule === "weakened_test");

describe("weakened tests", () => {
  describe.each(ECOSYSTEMS)("in %s", (_, fixtures) => {
    test("covers every kind of weakening", () => {
      const tried = new Set(fixtures.map(({ name }) => WEAKENINGS.findIndex(([known]) => known.test(name))));
      expect([...tried].toSorted((one, other) => one - other)).toEqual(WEAKENINGS.map((_weakening, at) => at));
    });

    test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))("%s", (name, fixture) => {
      const says = WEAKENINGS.find(([known]) => known.test(name))?.[1];
      const findings = weakened(fixture);
      const found = findings.find((finding) => says?.test(finding.message));
      expect(found?.severity, JSON.stringify(findings)).toBe("error");
      const sides = [fixture.before, fixture.after].map((files) => files[found?.path ?? ""]?.split("\n").length ?? 0);
      expect(found?.line).toBeGreaterThan(0);
      expect(found?.line).toBeLessThanOrEqual(Math.max(...sides));
      // The reverse change must not be reported: the direction matters, not the difference.
      if (!/snapshot/.test(name)) expect(weakened({ before: fixture.after, after: fixture.before })).toEqual([]);
    });
  });

  test.each(HONEST.map((fixture) => [fixture.name, fixture] as const))("does not report: %s", (_name, fixture) => {
    expect(weakened(fixture)).toEqual([]);
  });

  test("reports the line in the new file, or in the old one if nothing is left", () => {
    const [path = "", before = ""] = Object.entries(JAVASCRIPT[0]?.before ?? {})[0] ?? [];
    const after = before.replace("expect(cart.total).toBe(5)", "expect(cart.total).toBeTruthy()");
    expect(weakened({ before: { [path]: before }, after: { [path]: after } })).toMatchObject([{ path, line: 6 }]);
    const [gone] = weakened({ before: { [path]: before }, after: {} });
    expect(gone).toMatchObject({ path, line: 4, message: expect.stringContaining("line number before the change") });
  });

  test.each([
    ["src/cart.test.ts", "assert.strictEqual = () => {};\n"],
    ["src/cart.js", 'import assert from "node:assert";\nassert.strictEqual = () => {};\n'],
    ["test/helper.js", "Object.assign(assert, { equal() {} });\n"],
    ["test/helper.js", "globalThis.expect = () => ({ toBe() {} });\n"],
    ["src/cart.test.ts", 'vi.mock("node:assert");\n'],
    ["src/cart.test.ts", "const expect = () => ({ toBe() {} });\n"],
    ["src/cart.test.ts", 'const a = assert;\na["strictEqual"] = () => {};\n'],
    ["src/cart.test.ts", "const a = assert;\na.deepEqual = () => {};\n"],
    ["src/cart.test.ts", 'import assert from "./fake.js";\n'],
    ["src/cart.test.ts", 'import { test, expect } from "../src/fake.js";\n'],
    ["src/cart.test.ts", 'const { expect } = require("./fake");\n'],
    ["tests/cart.rs", "macro_rules! assert_eq { ($($t:tt)*) => {}; }\n"],
    ["tests/conftest.py", "unittest.TestCase.assertEqual = lambda *given: None\n"],
    ["cart.py", "setattr(unittest.TestCase, name, nothing)\n"],
  ])("an assertion replaced in %s by %j is an error", (path, code) => {
    const text = "// one\n";
    const [found] = weakened({ before: { [path]: text }, after: { [path]: text + code } });
    expect(found).toMatchObject({ severity: "error", path, message: expect.stringContaining("replaces an assertion") });
    expect(weakened({ before: { [path]: text + code }, after: { [path]: text } })).toEqual([]);
  });

  test("an existing Rust test that should panic now is an error, a new one is not", () => {
    const text = "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n";
    const inverted = text.replace("fn adds", "#[should_panic]\nfn adds").replace("3)", "4)");
    const [found] = weakened({ before: { "tests/cart.rs": text }, after: { "tests/cart.rs": inverted } });
    expect(found).toMatchObject({ severity: "error", message: expect.stringContaining("passes if it fails") });
    expect(weakened({ before: {}, after: { "tests/cart.rs": inverted } })).toEqual([]);
  });

  test("a new skipped test is a warning", () => {
    const fresh = weakened({
      before: {},
      after: { "a.test.ts": 'test.skip("x", () => {\n  expect(a).toBe(1);\n});\n' },
    });
    expect(fresh).toMatchObject([{ severity: "warning" }]);
  });

  test("removing tests together with their code is a warning", () => {
    const [path = "", text = ""] = Object.entries(JAVASCRIPT[0]?.before ?? {})[0] ?? [];
    const both = { before: { [path]: text, "src/cart.ts": "export {};\n" }, after: {} };
    expect(weakened(both)).toMatchObject([{ path, severity: "warning" }]);
  });
});
