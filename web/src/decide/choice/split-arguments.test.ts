import { expect, it } from "vitest";
import { splitArguments } from "./split-arguments.ts";

it("the arguments that the engine puts below a description are lists", () => {
  expect(splitArguments("A new type.\nFor: cannot be forgotten; small\nAgainst: touches 12 files")).toEqual({
    description: "A new type.",
    pros: ["cannot be forgotten", "small"],
    cons: ["touches 12 files"],
  });
});

it("a description without arguments stays as it is", () => {
  const text = "For: this is how it starts\nand it goes on";
  expect(splitArguments(text)).toEqual({ description: text, pros: [], cons: [] });
});
