import { describe, expect, it } from "vitest";
import { findFailures } from "./find-failures.ts";

/** Output in the format of each program, written by hand. */
const OUTPUTS: readonly (readonly [program: string, output: string, found: readonly string[]])[] = [
  [
    "vitest",
    ` ❯ src/cart.test.ts (2 tests | 1 failed) 12ms
   × cart > adds the tax 8ms
⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯
 FAIL  src/cart.test.ts > cart > adds the tax
AssertionError: expected 10 to be 12
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯
 Tests  1 failed | 1 passed (2)`,
    ["test src/cart.test.ts > cart > adds the tax"],
  ],
  [
    "vitest with a file that cannot be loaded",
    ` FAIL  src/cart.test.ts [ src/cart.test.ts ]\nError: Cannot find module './tax.ts'`,
    ["error src/cart.test.ts [ src/cart.test.ts ]"],
  ],
  [
    "jest",
    `FAIL src/cart.test.js
  ● cart › adds the tax

    expect(received).toBe(expected)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 total`,
    ["test cart › adds the tax"],
  ],
  [
    "jest with a broken file",
    "  ● Test suite failed to run\n\n    Cannot find module",
    ["error Test suite failed to run"],
  ],
  [
    "node:test (spec)",
    `✔ reads the cart (0.4ms)
✖ adds the tax (1.2ms)
ℹ tests 2
✖ failing tests:

test at test/cart.test.js:3:1
✖ adds the tax (1.2ms)
  AssertionError [ERR_ASSERTION]: 10 !== 12`,
    ["test adds the tax"],
  ],
  [
    "node:test (TAP)",
    `TAP version 13
ok 1 - reads the cart
not ok 2 - adds the tax
  ---
  error: 'Expected values to be strictly equal'
  ...
not ok 3 - rounds # TODO later`,
    ["test adds the tax"],
  ],
  [
    "pytest",
    `=================================== FAILURES ===================================
___________________________________ test_tax ___________________________________
    def test_tax():
>       assert total(10) == 12
E       assert 10 == 12
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_tax - assert 10 == 12
========================= 1 failed, 3 passed in 0.05s =========================`,
    ["test tests/test_cart.py::test_tax", "details test_tax"],
  ],
  ["pytest that cannot import a test", "ERROR tests/test_cart.py - ImportError: tax", ["error tests/test_cart.py"]],
  [
    "unittest",
    `======================================================================
FAIL: test_tax (test_cart.CartTest.test_tax)
----------------------------------------------------------------------
AssertionError: 10 != 12

Ran 3 tests in 0.001s`,
    ["test test_tax (test_cart.CartTest.test_tax)"],
  ],
  [
    "go test",
    `--- FAIL: TestTax (0.00s)
    cart_test.go:9: got 10, want 12
    --- FAIL: TestTax/rounding (0.00s)
        cart_test.go:12: got 1
FAIL
FAIL\texample.com/shop\t0.002s`,
    ["test TestTax", "test TestTax/rounding"],
  ],
  [
    "go with a test that does not compile",
    `# example.com/shop [example.com/shop.test]
./cart_test.go:9:7: undefined: Tax
FAIL\texample.com/shop [build failed]`,
    ["error ./cart_test.go: undefined: Tax", "error example.com/shop [build failed]"],
  ],
  [
    "cargo test",
    `test cart::reads ... ok
test cart::adds_tax ... FAILED

failures:

---- cart::adds_tax stdout ----
thread 'cart::adds_tax' panicked at src/cart.rs:9:5:
assertion failed: left == right

failures:
    cart::adds_tax

test result: FAILED. 1 passed; 1 failed; 0 ignored`,
    ["test cart::adds_tax"],
  ],
  [
    "rustc",
    `error[E0425]: cannot find function \`tax\` in this scope
 --> tests/cart.rs:3:5

error: could not compile \`shop\` (test "cart") due to 1 previous error`,
    ["error error[E0425]: cannot find function `tax` in this scope"],
  ],
  [
    "Gradle",
    `CartTest > addsTax() FAILED
    org.opentest4j.AssertionFailedError: expected: <12> but was: <10>

3 tests completed, 1 failed`,
    ["test CartTest > addsTax()"],
  ],
  [
    "Maven",
    `[ERROR] Failures:
[ERROR]   CartTest.addsTax:12 expected: <12> but was: <10>
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0`,
    ["test CartTest.addsTax"],
  ],
  ["javac in Maven", "[ERROR] /w/src/CartTest.java:[9,5] cannot find symbol", ["error cannot find symbol"]],
  ["ScalaTest", "[info] - adds the tax *** FAILED ***\n[info]   10 did not equal 12", ["test adds the tax"]],
  [
    "dotnet",
    `  Failed Shop.CartTest.AddsTax [12 ms]
  Error Message:
   Assert.Equal() Failure
Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4`,
    ["test Shop.CartTest.AddsTax"],
  ],
  [
    "C# compiler",
    "Cart.cs(3,14): error CS0103: The name 'Tax' does not exist",
    ["error Cart.cs: error CS0103: The name 'Tax' does not exist"],
  ],
  ["mocha", "  1 passing (4ms)\n  1 failing\n\n  1) cart adds the tax:\n     10 == 12", ["test cart adds the tax"]],
  ["rspec", "  1) Cart adds the tax\n     Failure/Error: expect\n\n3 examples, 1 failure", ["test Cart adds the tax"]],
  [
    "PHPUnit",
    "There was 1 failure:\n\n1) ShopTest::testTax\nFailed asserting that 10 is 12.\n",
    ["test ShopTest::testTax"],
  ],
  ["minitest", "CartTest#test_tax [test/cart_test.rb:5]:\nExpected: 12\n  Actual: 10\n", ["test CartTest#test_tax"]],
  ["bun", "(fail) cart > adds the tax [0.32ms]", ["test cart > adds the tax"]],
  ["tsc", "src/cart.ts(3,14): error TS2322: Type 'string'", ["error src/cart.ts: error TS2322: Type 'string'"]],
  [
    "tsc (pretty)",
    "src/cart.ts:3:14 - error TS2322: Type 'string'\n\n3 x",
    ["error src/cart.ts - error TS2322: Type 'string'"],
  ],
  [
    "mypy",
    'cart.py:3: error: Name "tax" is not defined  [name-defined]',
    ['error cart.py: error: Name "tax" is not defined  [name-defined]'],
  ],
  ["ruff", "cart.py:1:8: F401 `os` imported but unused", ["error cart.py: F401 `os` imported but unused"]],
  [
    "ruff (full)",
    "F401 [*] `os` imported but unused\n --> cart.py:1:8\n  |\n\n",
    ["error F401 [*] `os` imported but unused"],
  ],
  [
    "eslint",
    "/w/src/cart.js\n  3:14  error  'tax' is not defined  no-undef\n  4:1  warning  x  y\n\n2 problems",
    ["error /w/src/cart.js"],
  ],
];

describe("failures in the output of a check", () => {
  it.each(OUTPUTS)("are found in the format of %s", (_, output, found) => {
    expect(findFailures(output.split("\n")).map(({ kind, name }) => `${kind} ${name}`)).toEqual(found);
  });

  it("are not found in output that passed or is unknown", () => {
    const passed =
      "✔ adds the tax (1ms)\nok 1 - reads\ntest cart::reads ... ok\n5 passed in 0.1s\n1) first, mix\nall good";
    expect(findFailures(passed.split("\n"))).toEqual([]);
  });

  it("have the text that belongs to them, up to the next failure", () => {
    const lines =
      "--- FAIL: TestA (0.00s)\n    a.go:1: one\n    a.go:2: two\n--- FAIL: TestB (0.00s)\n    b\nFAIL".split("\n");
    expect(findFailures(lines).map(({ start, end }) => [start, end])).toEqual([
      [0, 3],
      [3, 5],
    ]);
  });
});
