import { describe, expect, it } from "vitest";
import { excerptOutput } from "./excerpt-output.ts";

const NOISE = Array.from({ length: 2_000 }, (_, index) => `downloading package ${index}`).join("\n");
const FAILURE = "--- FAIL: TestTax (0.00s)\n    cart_test.go:9: got 10, want 12\n";

describe("the excerpt of a check's output", () => {
  it("names failed tests that are far from the end, with their messages, and then has the end", () => {
    const excerpt = excerptOutput(`${NOISE}\n${FAILURE}FAIL\n${NOISE}\nexit status 1\n`, 2_000);
    expect(excerpt).toMatch(
      /^Failed tests \(1\):\n- TestTax\n\n--- FAIL: TestTax \(0\.00s\)\n {4}cart_test\.go:9: got 10, want 12/,
    );
    expect(excerpt).toMatch(/\n\nThe end of the output:\n[^]*downloading package 1999\nexit status 1$/);
    expect(excerpt.length).toBeLessThanOrEqual(2_000);
  });

  it("keeps short output as it is, below the names of the failed tests", () => {
    expect(excerptOutput(`starting\n${FAILURE}`, 2_000)).toBe(
      `Failed tests (1):\n- TestTax\n\nstarting\n${FAILURE}`.trimEnd(),
    );
    expect(excerptOutput("make: *** no rule\n", 2_000)).toBe("make: *** no rule");
  });

  it("has the first lines with an error if the format is unknown", () => {
    const excerpt = excerptOutput(`starting\nlinker: error: no such library\n${NOISE}`, 2_000);
    expect(excerpt).toMatch(
      /^The first lines that mention an error:\nlinker: error: no such library\n\nThe end of the output:/,
    );
  });

  it("stays within its limit with thousands of failures, and says how many there are", () => {
    const many = Array.from({ length: 3_000 }, (_, index) => `not ok ${index} - test ${index} ${"x".repeat(90)}`).join(
      "\n",
    );
    const excerpt = excerptOutput(many, 8_000);
    expect(excerpt).toMatch(/^Failed tests \(3000\):/);
    expect(excerpt).toMatch(/- and 29\d\d more/);
    expect(excerpt.length).toBeLessThanOrEqual(8_000);
  });

  it("stays within its limit if the output is one long line", () => {
    expect(excerptOutput(`error ${"x".repeat(100_000)}`, 1_000).length).toBeLessThanOrEqual(1_000);
  });

  it("does not hang on a megabyte of hostile output", () => {
    const hostile = `${"  ● ".repeat(200)}\n`.repeat(1_000) + `${"not ok 1 - ".repeat(50)}\n`.repeat(1_000);
    expect(excerptOutput(hostile, 8_000).length).toBeLessThanOrEqual(8_000);
  });
});
