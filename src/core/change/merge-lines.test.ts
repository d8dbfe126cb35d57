import { expect, it } from "vitest";
import { cutUnchanged, mergeLines } from "./merge-lines.ts";

const show = (before: string, after: string): string =>
  mergeLines(before.split(" "), after.split(" "))
    .map(({ sign, text }) => (sign === " " ? text : sign + text))
    .join(" ");

it("removed lines come before the added ones that replace them", () => {
  expect(show("a b c", "a x c")).toBe("a -b +x c");
  expect(show("a b c d", "a d")).toBe("a -b -c d");
  expect(show("a", "a b c")).toBe("a +b +c");
  expect(show("a b", "c")).toBe("-a -b +c");
});

it("equal texts have no removed and no added lines", () => {
  expect(mergeLines(["a", "b"], ["a", "b"]).map(({ sign }) => sign)).toEqual([" ", " "]);
});

it("unchanged lines far from a change are left out, with one mark for each gap", () => {
  const lines = mergeLines("abcdefgh".split(""), "aXcdefYh".split(""));
  const texts = cutUnchanged(lines, 1).map((line) => (line === null ? "…" : line.sign + line.text));
  expect(texts).toEqual([" a", "-b", "+X", " c", "…", " f", "-g", "+Y", " h"]);
});
