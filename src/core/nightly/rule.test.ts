import { describe, expect, it } from "vitest";
import { UserError } from "../text/errors.ts";
import {
  describeRules,
  hasExpired,
  parseExpiry,
  readReasonKind,
  reasonText,
  ruleFromReason,
  ruleText,
} from "./rule.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 16);

describe("ruleText()", () => {
  it("is one line without control characters", () => {
    expect(ruleText("  No \u001b[31mred\u001b[0m\n\n tests\u202e\u{e0041}\u0000 ")).toBe("No red tests");
  });

  it("rejects empty and too long text, counted in characters", () => {
    for (const text of ["", " \n", "\u001b[31m"]) expect(() => ruleText(text)).toThrow(/empty/);
    expect(ruleText("🦊".repeat(500))).toHaveLength(1000);
    expect(() => ruleText("x".repeat(501))).toThrow(
      new UserError("invalid", "The rule has 501 characters; at most 500 are allowed.", "Shorten it."),
    );
  });
});

describe("reasonText()", () => {
  it("may be empty and has at most 300 characters", () => {
    expect(reasonText("  ")).toBe("");
    expect(reasonText("a\nb")).toBe("a b");
    expect(() => reasonText("x".repeat(301))).toThrow(/at most 300/);
  });
});

describe("ruleFromReason()", () => {
  const proposal = { title: "Split the cart", files: ["src/cart.ts", "src/x.ts"] };

  it("contains the title, the reason and the files", () => {
    expect(ruleFromReason(proposal, { kind: "too_big", text: "It breaks the app!" })).toBe(
      "Not wanted (too big): Split the cart. It breaks the app! Files: src/cart.ts, src/x.ts",
    );
    expect(ruleFromReason({ ...proposal, files: [] }, { kind: "other", text: "" })).toBe(
      "Not wanted (other reasons): Split the cart.",
    );
  });

  it("keeps the person's whole text within the length limit, however long title and files are", () => {
    const text = "y".repeat(300);
    const rule = ruleFromReason(
      { title: "t".repeat(900), files: Array.from({ length: 500 }, (_, n) => `src/${n}.ts`) },
      { kind: "not_worth_it", text },
    );
    expect(rule).toContain(text);
    expect(ruleText(rule)).toBe(rule);
  });

  it("removes control characters from the title", () => {
    expect(ruleFromReason({ title: "a\n\u001b]0;x\u0007## b", files: [] }, { kind: "style", text: "" })).toBe(
      "Not wanted (style): a ## b.",
    );
  });
});

describe("describeRules()", () => {
  it("is a list with one line per rule", () => {
    expect(describeRules([{ text: "One" }, { text: "Two\nlines" }])).toBe("- One\n- Two lines");
    expect(describeRules([])).toBe("");
  });
});

describe("readReasonKind()", () => {
  it.each([
    ["too_big", "too_big"],
    ["Not worth it", "not_worth_it"],
    ["not-worth-it", "not_worth_it"],
    ["wrongly", null],
    ["", null],
  ])("%j is %j", (word, kind) => {
    expect(readReasonKind(word)).toBe(kind);
  });
});

describe("parseExpiry()", () => {
  it.each([
    ["90d", NOW + 90 * DAY],
    ["2w", NOW + 14 * DAY],
    ["3650d", NOW + 3650 * DAY],
    ["2027-01-31", Date.UTC(2027, 0, 31)],
    ["2027-01-31T12:00:00+02:00", Date.UTC(2027, 0, 31, 10)],
    ["never", null],
    ["0d", undefined],
    ["3651d", undefined],
    ["90", undefined],
    ["2h", undefined],
    ["2027-02-31", undefined],
    ["2027-13-01", undefined],
    ["soon", undefined],
  ])("%s", (text, at) => {
    expect(parseExpiry(text, NOW)).toBe(at);
  });
});

describe("hasExpired()", () => {
  it("is true from `expiresAt` on, and never without it", () => {
    expect([NOW - 1, NOW, NOW + 1].map((at) => hasExpired({ expiresAt: NOW }, at))).toEqual([false, true, true]);
    expect(hasExpired({ expiresAt: null }, NOW)).toBe(false);
  });
});
