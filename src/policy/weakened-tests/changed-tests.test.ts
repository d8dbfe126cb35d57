import { describe, expect, it } from "vitest";
import { changesOf, type Files } from "../diff/fixtures/fixture.ts";
import { baseTestsMode, changedTests, touchesTests } from "./changed-tests.ts";

const touches = (after: Files) => touchesTests(changesOf({ before: {}, after }));
const tests = (before: Files, after: Files) => changedTests(changesOf({ before, after }));

describe("changedTests", () => {
  it("lists existing tests that were changed or deleted, with helpers and snapshots", () => {
    const before = {
      "a.test.ts": "1",
      "b_test.go": "1",
      "tests/helper.py": "1",
      "x/__snapshots__/a.snap": "1",
      "a.ts": "1",
    };
    const after = {
      "a.test.ts": "2",
      "tests/helper.py": "2",
      "x/__snapshots__/a.snap": "2",
      "a.ts": "2",
      "new.test.ts": "1",
    };
    expect(tests(before, after)).toEqual(["a.test.ts", "b_test.go", "tests/helper.py", "x/__snapshots__/a.snap"]);
  });

  it("leaves out tests that moved, and tests in which only imports changed", () => {
    expect(tests({ "src/a.test.ts": "1" }, { "src/shop/a.test.ts": "1" })).toEqual([]);
    const text = 'import { a } from "./a.ts";\nexpect(a()).toBe(1);\n';
    expect(tests({ "a.test.ts": text }, { "a.test.ts": text.replace("./a.ts", "./b.ts") })).toEqual([]);
    expect(tests({ "a.test.ts": text }, { "a.test.ts": text.replace("1", "2") })).toEqual(["a.test.ts"]);
  });
});

describe("touchesTests", () => {
  it("is true for files of tests, code that contains tests or ends the process, and manifests", () => {
    expect(touches({ "tests/test_a.py": "1" })).toBe(true);
    expect(touches({ "src/a.rs": "#[cfg(test)]\nmod tests {}" })).toBe(true);
    expect(touches({ "Cargo.toml": "[package]\nautotests = false\n" })).toBe(true);
    expect(touches({ "src/a.ts": "setTimeout(() => process.exit(0));" })).toBe(true);
    expect(touches({ "src/a.rs": "fn a() {}", "src/a.ts": "1", "README.md": "1" })).toBe(false);
  });
});

describe("baseTestsMode", () => {
  it("fails where behaviour must stay, asks where nobody reviews, and shows otherwise", () => {
    for (const category of ["refactoring", "docs", "performance"] as const)
      expect(baseTestsMode(category, false)).toBe("fail");
    expect(baseTestsMode("tests", false)).toBe("show");
    expect(baseTestsMode(null, true)).toBe("ask");
    expect(baseTestsMode(null, false)).toBe("show");
  });
});
