import { expect, test } from "vitest";
import { findChangedPart } from "./changed-part.ts";

test.each([
  ['curl -X POST "$1" -d @"$2"', 'curl -X POST "$1" --data-binary @"$2"', "-d"],
  ["const full = 1;", "const full = 2;", "1"],
  ["return parsePrice(text);", "return parseCost(text);", "parsePrice"],
])("changed part: of %j against %j is %j", (line, other, expected) => {
  const part = findChangedPart(line, other);
  expect(line.slice(part?.start, part?.end).trim()).toBe(expected);
});

test("changed part: there is none in equal, empty or entirely different lines, or if text was only added to the other", () => {
  expect(findChangedPart("same", "same")).toBeNull();
  expect(findChangedPart("", "x")).toBeNull();
  expect(findChangedPart("alpha beta", "12 34 56 78")).toBeNull();
  expect(findChangedPart("one", "one two")).toBeNull();
});
