import { describe, expect, test } from "vitest";
import { checkDiff } from "./check-diff.ts";
import { changesOf, RULES, type Files } from "./fixtures/fixture.ts";

function fiveThousand(pathOf: (at: number) => string, textOf: (at: number) => string): Files {
  return Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [pathOf(at), textOf(at)]));
}

const testPath = (at: number): string => `src/${at}.test.ts`;
const oneTest = (at: number): string => `test("number ${at}", () => {\n  expect(f(${at})).toBe(${at});\n});\n`;
const twoAsserts = (at: number): string => oneTest(at).replace("});", "  expect(g).toBe(1);\n});");
const packagePath = (at: number): string => `p/${at}/package.json`;
const packageOf = (at: number): string => `{"scripts":{"test":"node old${at}.js","ok":"npm run test"}}`;
const otherPackage = (at: number): string => packageOf(at).replace("old", "new");

const CHANGES: readonly (readonly [string, Files, Files])[] = [
  ["new tests", {}, fiveThousand(testPath, oneTest)],
  ["deleted tests", fiveThousand(testPath, oneTest), {}],
  ["weakened tests", fiveThousand(testPath, twoAsserts), fiveThousand(testPath, oneTest)],
  ["packages", fiveThousand(packagePath, packageOf), fiveThousand(packagePath, otherPackage)],
];

function layer(name: string, call: string): string {
  return `function ${name}() {\n${`  ${call};\n`.repeat(50)}}\n`;
}

describe("diff policy: a large change", () => {
  test.each(CHANGES)("of five thousand files is checked quickly: %s", (_, before, after) => {
    const changes = changesOf({ before, after });
    const started = performance.now();
    const findings = checkDiff(changes, { ...RULES, checkCommands: ["npm run ok"] });
    // About a second on a busy machine. A quadratic algorithm would take ten times as long.
    expect(performance.now() - started).toBeLessThan(5000);
    expect(findings.filter(({ rule }) => rule === "size")).toEqual([]);
  });

  test("of a script with a hundred thousand words is checked quickly", () => {
    const text = JSON.stringify({ scripts: { test: "npm run a ".repeat(34_000) } });
    const changes = changesOf({ before: { "package.json": text }, after: { "package.json": "{}" } });
    const started = process.cpuUsage();
    const findings = checkDiff(changes, { ...RULES, checkCommands: ["npm test"] });
    // Twenty times the processor time on an idle machine. A quadratic algorithm needs minutes.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000);
    expect(findings.map(({ rule }) => rule)).toContain("gates_changed");
  });

  test("with more files is rejected, and only the first ones are checked", () => {
    const code = fiveThousand((at) => `src/${at}.ts`, String);
    const after = { ...code, "zz/last.test.ts": 'test.only("x", () => {});\n' };
    const findings = checkDiff(changesOf({ before: {}, after }), RULES);
    expect(findings).toMatchObject([{ rule: "size", severity: "error", path: "zz/last.test.ts", line: null }]);
    expect(findings[0]?.message).toContain("The change has 5,001 files; only the first 5,000 were checked");
  });

  test("does not expand nested helpers to millions of assertions", () => {
    const helpers = [
      layer("expectA", "expectB()"),
      layer("expectB", "expectC()"),
      layer("expectC", "expect(a).toBe(1)"),
    ];
    const text = `${helpers.join("")}test("x", () => {\n${"  expectA();\n".repeat(2000)}});\n`;
    const started = performance.now();
    checkDiff(changesOf({ before: { "a.test.ts": text }, after: { "a.test.ts": `${text}// more\n` } }), RULES);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
