import { expect, test } from "vitest";
import { describeRevision } from "./document-diff.ts";

const plain = { color: false };

test("revision: shows removed and added lines with the lines around them", () => {
  const before = ["# Plan", "one", "two", "three", "four", "five", "six"].join("\n");
  const after = ["# Plan", "one", "2", "three", "four", "five", "six", "seven"].join("\n");
  expect(describeRevision(plain, before, after)).toBe(
    ["      one", "    - two", "    + 2", "      three", "    …", "      six", "    + seven", ""].join("\n"),
  );
});

test("revision: an equal document has no changes, and control characters are removed", () => {
  expect(describeRevision(plain, "a\nb", "a\nb\n")).toBe("");
  expect(describeRevision(plain, "a", "b\u001b[2J")).toBe("    - a\n    + b\n");
});

test("revision: everything replaced, and lines removed at the end", () => {
  expect(describeRevision(plain, "a\nb", "c")).toBe("    - a\n    - b\n    + c\n");
  expect(describeRevision(plain, "a\nb\nc", "a")).toBe("      a\n    - b\n    - c\n");
});
