import { expect, test } from "vitest";
import { cutText, indentText, textWidth, wrapLines } from "./fit-text.ts";

test.for([
  ["abc", 3],
  ["äöü", 3],
  ["e\u0301", 1],
  ["日本語", 6],
  ["👍", 2],
  ["👋🏽", 2],
  ["⚠️", 2],
  ["🇩🇪", 2],
  ["\u001b[32mok\u001b[39m", 2],
  ["…→│", 3],
] as const)("text width: %s takes %i cells", ([text, width]) => {
  expect(textWidth(text)).toBe(width);
});

test("cut text: an ellipsis replaces what does not fit, and no character is split", () => {
  expect(cutText("a title", 7)).toBe("a title");
  expect(cutText("a longer title", 9)).toBe("a longer…");
  expect(cutText("日本語です", 6)).toBe("日本…");
  expect(cutText("👍👋🏽👍", 5)).toBe("👍👋🏽…");
  expect(cutText("𠮷𠮷𠮷𠮷", 4)).toBe("𠮷…");
  expect(cutText("e\u0301e\u0301e\u0301", 2)).toBe("e\u0301…");
});

test("cut text: the end of a path stays", () => {
  expect(cutText("/home/me/src/price.ts", 12, "end")).toBe("…rc/price.ts");
  expect(cutText("日本語です", 6, "end")).toBe("…です");
});

test("wrap: words stay together, and the rest of a line is indented like its start", () => {
  const screen = { color: false, width: 30 };
  expect(wrapLines(screen, "- one two three four five six\n    indented text that is long", 2)).toEqual([
    "- one two three four five",
    "six",
    "    indented text that is",
    "    long",
  ]);
});

test("indent: no part of a long line starts at the left edge, not even of a word without spaces", () => {
  const text = indentText({ color: false, width: 30 }, `${"x".repeat(28)}Approved\u00a0by\u00a0you`, "  ");
  for (const line of text.split("\n")) expect(line).toMatch(/^ {2}.{1,28}$/);
});

test("indent: lines after the first hang, and a pipe gets whole lines", () => {
  const long = `${"word ".repeat(30)}end`;
  expect(indentText({ color: false }, `${long}\nb`, "", "  ")).toBe(`${long}\n  b`);
  expect(indentText({ color: false, width: 40 }, "a b\nc", "- ", "  ")).toBe("- a b\n  c");
});
