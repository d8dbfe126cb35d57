import { describe, expect, it } from "vitest";
import { commitText, forgeText, titleText } from "./forge-text.ts";

describe("forgeText", () => {
  it.each([
    ["an order to the forge", "fine\n/merge\n  /assign @bob\n> /label ~x\n- /approve", /(^|\n)[\s>*+-]*\/[a-z]/],
    ["somebody called", "thanks @alice and @all-of-you", /@[a-z]/],
    ["an issue closed", "Closes #12, fixes !34 and team/shop#5", /[#!]\d/],
    ["markup", "<img src=x onerror=y> <!-- hidden --> </details>", /<[a-z!/]/i],
    ["a picture", "![look](https://evil.example/pixel)", /!\[/],
    ["a heading", "fine\n## Verified by\n> ### x\n- # y\n1. # z\n#\n  ## w", /^[\s>*+-]*(?:\d[.)] )?#+( |$)/m],
    ["a heading with another kind of space", "##\u00a0Verified by", /^#+\s/],
    ["an underlined heading", "Verified by\n===========\nChecks\n ---\n> q\n> =", /^[ >]*[=-]+$/m],
    ["a code block without an end", "fine\n```\nall", /^```/m],
    ["a code block in a list without an end", "- fine\n  ```\n```\nall", /^ *```/m],
    ["a code block that ends with another mark", "````\nall\n```\n~~~", /^(```|~~~)/m],
    ["escape sequences", "a\u001b[31mb\u0000c", /[\u0000\u001b]/],
  ])("neutralizes %s", (_, text, order) => {
    expect(text).toMatch(order);
    expect(forgeText(text)).not.toMatch(order);
  });

  it.each([
    "Closes #12",
    "closes: #12 and #13",
    "Implements #12",
    "implemented issue #12",
    "Fixes issues #1, #2",
    "Resolves https://forge.example/team/shop/-/issues/12",
    "closing <https://forge.example/team/shop/issues/12>",
    "Fixes SHOP-12",
    "Implementing: SHOP_2-7",
    "Resolve **team/shop#3**",
    "clos[skip ci]es #12",
    "fix GH-5",
  ])("does not close an issue with %s on the page, in the commit or in the title", (text) => {
    const closing = /(clos|fix|resolv|implement)(e[sd]?|s|ed|ing)?\b/i;
    expect(forgeText(`It does. ${text}.`)).not.toMatch(closing);
    expect(commitText(`docs: say how\n\nIt does. ${text}.`)).toMatch(/^docs: say how\n\nIt does\. see.*\d/);
    expect(commitText(`docs: say how\n\nIt does. ${text}.`)).not.toMatch(closing);
    expect(titleText(`Say how (${text})`, 200)).not.toMatch(closing);
  });

  it.each([
    "fix UTF-8 and SHA-256 names",
    "fixes the parser, closes the file and implements retries in 3 places",
    "resolve utf-8 and top-10 lists",
    "fix: CVE-2024-1234 in the parser",
  ])("leaves %s unchanged", (text) => {
    expect(forgeText(text)).toBe(text);
    expect(commitText(text)).toBe(text);
    expect(titleText(text, 200)).toBe(text);
  });

  it("leaves plain Markdown unchanged", () => {
    const text =
      "- `src/a.ts`: **faster** by 3 % (a < b, x > y)\n\n1. see docs/usage.md\n\n```\nlet a = b / c;\n```\n\n- so:\n  ~~~sh\n  ls\n  ~~~\n- a | b\n  --- | ---";
    expect(forgeText(text)).toBe(text);
  });

  it("limits the length", () => {
    expect(forgeText("x".repeat(1e6)).length).toBeLessThan(21_000);
  });
});

describe("commitText", () => {
  it.each([
    "Co-authored-by: Somebody <a@b.example>",
    "Signed-off-by: Somebody <a@b.example>",
    "🤖 Generated with a tool",
    "Generated-by: a tool",
  ])("removes the trailer %s", (mark) => {
    expect(commitText(`docs: say how\n\nBecause.\n\n${mark}\n`)).toBe("docs: say how\n\nBecause.");
  });

  it.each(["[skip ci]", "[ci skip]", "[SKIP ACTIONS]", "[no ci]", "***NO_CI***"])("removes %s", (order) => {
    expect(commitText(`docs: say how ${order}`)).toBe("docs: say how");
  });

  it.each(["[skip [skip ci]ci]", "[no[no ci] ci]", "[ci[ci skip] skip]", "***NO_***NO_CI***CI***"])(
    "does not form a new command by removing one from %s",
    (order) => {
      expect(commitText(`docs: say how ${order}`)).toBe("docs: say how");
      expect(titleText(`Say ${order} how`, 200)).toBe("Say how");
      expect(forgeText(`Say how ${order}`)).toBe("Say how");
    },
  );

  it("removes the paragraph of trailers at the end, and nothing else", () => {
    const trailers = "Change-Id: I1234\nReleased-by: nobody\n folded: further\n\nskip-checks: true\n\nCc: all";
    expect(commitText(`docs: say how\n\nNote: it is short.\nBecause.\n\n${trailers}`)).toBe(
      "docs: say how\n\nNote: it is short.\nBecause.",
    );
    const link = "docs: say how\n\nhttps://docs.example/usage";
    expect(commitText(link)).toBe(link);
    expect(commitText("docs: say how")).toBe("docs: say how");
  });

  it("does not close an issue", () => {
    expect(commitText("docs: fixes #12, Closes: team/shop#3")).toBe("docs: see #12, see: team/shop#3");
  });

  it("keeps a message in the repository's own style", () => {
    const message = "fix(parser): accept an empty list (#12)\n\n- one\n- two";
    expect(commitText(message)).toBe(message);
  });
});
