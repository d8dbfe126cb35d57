import { expect, it } from "vitest";
import { parseOnce } from "./parse-once.ts";

it("parse once: the same text of a file is parsed once, a changed text again", () => {
  const seen: string[] = [];
  const parse = parseOnce((text, file) => seen.push(`${file}: ${text}`));
  expect([
    parse("a", "x.yaml"),
    parse("a", "x.yaml"),
    parse("a", "y.yaml"),
    parse("b", "x.yaml"),
    parse("a", "x.yaml"),
  ]).toEqual([1, 1, 2, 3, 4]);
  expect(seen).toEqual(["x.yaml: a", "y.yaml: a", "x.yaml: b", "x.yaml: a"]);
});

it("parse once: an invalid text is parsed once too, and fails the same way each time", () => {
  let tries = 0;
  const parse = parseOnce((text) => {
    tries += 1;
    if (text === "broken") throw new Error("broken");
    return "whole";
  });
  expect(() => parse("broken", "x.yaml")).toThrow("broken");
  expect(() => parse("broken", "x.yaml")).toThrow("broken");
  expect(tries).toBe(1);
  expect(parse("repaired", "x.yaml")).toBe("whole");
});

it("parse once: caches at most a hundred files", () => {
  let parsed = 0;
  const parse = parseOnce(() => (parsed += 1));
  for (let file = 0; file <= 100; file += 1) parse("a", `${file}.yaml`);
  parse("a", "0.yaml");
  expect(parsed).toBe(102);
});
