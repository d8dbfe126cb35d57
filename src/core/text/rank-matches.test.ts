import { expect, it } from "vitest";
import { rankMatches } from "./rank-matches.ts";

const found = (query: string, texts: readonly string[]): readonly string[] =>
  rankMatches(
    query,
    texts.map((text) => ({ text })),
  ).map(({ text }) => text);

it("a prefix comes before a word, and a word before a part of one", () => {
  expect(found("tas", ["Metastasis", "New task", "Tasks"])).toEqual(["Tasks", "New task", "Metastasis"]);
});

it("equally good matches keep their order, and others are left out", () => {
  expect(found("re", ["Retry b", "Retry a", "Pause"])).toEqual(["Retry b", "Retry a"]);
});

it("letters in another order do not match", () => {
  expect(found("rty", ["Retry"])).toEqual([]);
});

it("an empty query matches everything in its order", () => {
  expect(found("  ", ["b", "a"])).toEqual(["b", "a"]);
});

it("case, accents and spaces make no difference", () => {
  expect(found("CAFE  menu", ["The café menu"])).toEqual(["The café menu"]);
});

it("other words find an item by their start", () => {
  const items = [{ text: "Fix k1 constants" }, { text: "Search", words: ["k1v9d", "agent/search"] }];
  expect(rankMatches("k1", items).map(({ text }) => text)).toEqual(["Search", "Fix k1 constants"]);
  expect(rankMatches("search", items).map(({ text }) => text)).toEqual(["Search"]);
});

it("special characters of patterns are only characters", () => {
  expect(found(".*", ["a.*b", "axxb"])).toEqual(["a.*b"]);
});
