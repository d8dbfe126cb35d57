import { describe, expect, it } from "vitest";
import { describeMissingTests, readTestCounts } from "./test-counts.ts";

/** The end of real output, one per runner and shape. */
const OUTPUTS: readonly (readonly [string, string, number, number | null])[] = [
  [
    "vitest",
    "\n Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 10 passed | 2 skipped (13)\n   Start at  10:00:00\n",
    11,
    null,
  ],
  [
    "vitest with colors",
    "\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m229 passed\u001b[39m\u001b[22m\u001b[90m (229)\u001b[39m\n",
    229,
    null,
  ],
  [
    "jest",
    "Test Suites: 1 passed, 1 total\nTests:       1 failed, 2 skipped, 10 passed, 13 total\nSnapshots:   0 total\n",
    11,
    null,
  ],
  [
    "node --test",
    "ℹ tests 7\nℹ suites 0\nℹ pass 5\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 12.5\n",
    6,
    null,
  ],
  ["node --test as TAP", "1..2\n# tests 2\n# suites 0\n# pass 2\n# fail 0\n# cancelled 0\n# skipped 0\n", 2, null],
  ["tape", "1..4\n# tests 4\n# pass  4\n\n# ok\n", 4, null],
  ["mocha", "\n\n  12 passing (34ms)\n  2 pending\n  1 failing\n\n  1) adds up\n", 13, null],
  ["pytest", "============ 1 failed, 10 passed, 2 skipped, 1 warning in 0.12s ============\n", 11, null],
  ["pytest -q", "...........\n11 passed in 0.04s\n", 11, null],
  ["pytest after a minute", "============ 3 passed in 72.31s (0:01:12) ============\n", 3, null],
  ["unittest", "..s..\n----------\nRan 5 tests in 0.001s\n\nOK (skipped=1)\n", 4, null],
  [
    "go test -v",
    "=== RUN   TestAdd\n=== RUN   TestAdd/two\n--- PASS: TestAdd (0.00s)\n    --- PASS: TestAdd/two (0.00s)\n--- SKIP: TestLater (0.00s)\nPASS\nok  \tshop/cart\t0.002s\n",
    2,
    null,
  ],
  ["gotestsum", "∅  shop\n✓  shop/cart (2ms)\n\nDONE 12 tests, 1 skipped in 0.300s\n", 11, null],
  [
    "cargo test",
    "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   Doc-tests cart\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n",
    7,
    null,
  ],
  ["cargo nextest", "------------\n     Summary [   0.512s] 12 tests run: 12 passed, 3 skipped\n", 12, null],
  [
    "Maven",
    "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in shop.CartTest\n[INFO] \n[INFO] Results:\n[INFO] \n[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 1\n",
    11,
    null,
  ],
  [
    "JUnit console",
    "[        12 tests found           ]\n[         1 tests skipped         ]\n[        11 tests started         ]\n[        10 tests successful      ]\n[         1 tests failed          ]\n",
    11,
    null,
  ],
  ["Gradle", "12 tests completed, 1 failed, 2 skipped\n", 10, null],
  [
    "dotnet test",
    "Passed!  - Failed:     0, Passed:    12, Skipped:     1, Total:    13, Duration: 45 ms - Shop.Tests.dll (net8.0)\n",
    12,
    null,
  ],
  ["VSTest", "Test Run Successful.\nTotal tests: 13\n     Passed: 12\n    Skipped: 1\n", 12, null],
  [
    "dotnet test, new platform",
    "Test run summary: Passed!\n  total: 13\n  failed: 0\n  succeeded: 12\n  skipped: 1\n",
    12,
    null,
  ],
  ["rspec", "Finished in 0.01 seconds\n12 examples, 1 failure, 2 pending\n", 10, null],
  ["minitest", "12 runs, 34 assertions, 0 failures, 0 errors, 1 skips\n", 11, 34],
  ["test-unit", "12 tests, 34 assertions, 0 failures, 0 errors, 0 pendings, 1 omissions, 0 notifications\n", 11, 34],
  ["ExUnit", "Finished in 0.02 seconds\n1 doctest, 12 tests, 0 failures, 2 skipped\n", 10, null],
  ["PHPUnit", "OK (12 tests, 34 assertions)\n", 12, 34],
  ["PHPUnit with skipped tests", "Tests: 12, Assertions: 34, Skipped: 2.\n", 10, 34],
  ["Pest", "  Tests:    1 failed, 12 passed (34 assertions)\n  Duration: 0.10s\n", 13, 34],
  ["ava", "  ─\n\n  12 tests passed\n", 12, null],
  ["Deno", "ok | 12 passed | 0 failed (34ms)\n", 12, null],
  ["bun", "\n 12 pass\n 1 skip\n 0 fail\n 34 expect() calls\nRan 13 tests across 2 files. [20.00ms]\n", 12, 34],
  ["ScalaTest", "[info] Tests: succeeded 12, failed 0, canceled 0, ignored 1, pending 0\n", 12, null],
  [
    "GoogleTest",
    "[==========] Running 12 tests from 3 test suites.\n[==========] 12 tests from 3 test suites ran. (3 ms total)\n",
    12,
    null,
  ],
  ["CTest", "100% tests passed, 0 tests failed out of 12\n", 12, null],
  ["two workspaces", "Tests:       5 passed, 5 total\n\nTests:       7 passed, 7 total\n", 12, null],
];

const counts = (tests: number, assertions: number | null = null) => ({ tests, assertions });

describe("readTestCounts", () => {
  it.each(OUTPUTS)("reads the summary of %s", (_, output, tests, assertions) => {
    expect(readTestCounts(output, true)).toEqual({ tests, assertions });
  });

  it.each([
    "",
    "all good\n",
    "ok  \tshop/cart\t0.002s\n",
    "eslint: 12 problems (10 errors, 2 warnings)\n",
    "Found 3 errors in 2 files.\n",
  ])("reads nothing from %j", (output) => {
    expect(readTestCounts(output, true)).toBeNull();
  });

  it("does not count single tests if the beginning of the output is missing", () => {
    expect(readTestCounts("--- PASS: TestAdd (0.00s)\nPASS\n", false)).toBeNull();
  });
});

describe("describeMissingTests", () => {
  it("has the numbers if fewer tests or assertions ran", () => {
    expect(describeMissingTests(counts(12), counts(9))).toBe("12 tests before the change, and 9 now");
    expect(describeMissingTests(counts(1), null)).toBe("1 test before the change, and reports none now");
    expect(describeMissingTests(counts(3, 9), counts(3, 8))).toBe("9 assertions before the change, and 8 now");
  });

  it("is null if as many or more ran", () => {
    expect(describeMissingTests(counts(3, 9), counts(4, 9))).toBeNull();
    expect(describeMissingTests(counts(3), counts(3, 1))).toBeNull();
    expect(describeMissingTests(counts(0), null)).toBeNull();
  });
});
