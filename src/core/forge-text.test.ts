import { describe, expect, it } from "vitest";
import { commitText, forgeText } from "./forge-text.ts";

describe("forgeText", () => {
  it.each([
    ["an order to the forge", "fine\n/merge\n  /assign @bob\n> /label ~x\n- /approve", /(^|\n)[\s>*+-]*\/[a-z]/],
    ["somebody called", "thanks @alice and @all-of-you", /@[a-z]/],
    ["an issue closed", "Closes #12, fixes !34 and team/shop#5", /[#!]\d/],
    ["markup", "<img src=x onerror=y> <!-- hidden --> </details>", /<[a-z!/]/i],
    ["a picture", "![look](https://evil.example/pixel)", /!\[/],
    ["escape sequences", "a\u001b[31mb\u0000c", /[\u0000\u001b]/],
  ])("lets nothing through that is %s", (_, text, order) => {
    expect(text).toMatch(order);
    expect(forgeText(text)).not.toMatch(order);
  });

  it("leaves plain Markdown as it is", () => {
    const text = "- `src/a.ts`: **faster** by 3 % (a < b, x > y)\n\n1. see docs/usage.md\n\n```\nlet a = b / c;\n```";
    expect(forgeText(text)).toBe(text);
  });

  it("is bounded", () => {
    expect(forgeText("x".repeat(1e6)).length).toBeLessThan(21_000);
  });
});

describe("commitText", () => {
  it.each([
    "Co-authored-by: Somebody <a@b.example>",
    "Signed-off-by: Somebody <a@b.example>",
    "🤖 Generated with a tool",
    "Generated-by: a tool",
  ])("drops the mark %s", (mark) => {
    expect(commitText(`docs: say how\n\nBecause.\n\n${mark}\n`)).toBe("docs: say how\n\nBecause.");
  });

  it.each(["[skip ci]", "[ci skip]", "[SKIP ACTIONS]", "[no ci]", "***NO_CI***"])("drops %s", (order) => {
    expect(commitText(`docs: say how ${order}`)).toBe("docs: say how");
  });

  it("closes no issue", () => {
    expect(commitText("docs: fixes #12, Closes: team/shop#3")).toBe("docs: see #12, see: team/shop#3");
  });

  it("keeps a message in the repository's own style", () => {
    const message = "fix(parser): accept an empty list (#12)\n\n- one\n- two";
    expect(commitText(message)).toBe(message);
  });
});
