import { describe, expect, it } from "vitest";
import { closest, didYouMean } from "./did-you-mean.ts";

const KNOWN = ["implemented", "needs_info", "options_proposed", "to", "agent"];

describe("closest", () => {
  it.each([
    ["implmented", "implemented"],
    ["Needs-Info", "needs_info"],
    ["needs info", "needs_info"],
    ["option_proposed", "options_proposed"],
    ["agnet", "agent"],
    ["ot", "to"],
  ])("suggests the right word: %s, %s", (word, expected) => {
    expect(closest(word, KNOWN)).toBe(expected);
    expect(didYouMean(word, KNOWN)).toBe(` Did you mean "${expected}"?`);
  });

  it.each(["", "x", "merged", "i".repeat(1_000_000)])("finds no match for %.10s", (word) => {
    expect(closest(word, KNOWN)).toBeNull();
    expect(didYouMean(word, KNOWN)).toBe("");
  });

  it("prefers the closer of two candidates", () => {
    expect(closest("verifed", ["verify_failed", "verified"])).toBe("verified");
  });
});
