import { expect, it } from "vitest";
import { hiddenWords } from "./hidden-words.ts";

it("a text that is shown completely hides no word", () => {
  const source = "## Goal\n\n1. **Read** `them` &amp; write.\n\n```ts\nconst a = 1;\n```";
  expect(hiddenWords(source, "Goal\nRead them & write.\nconst a = 1;\n")).toEqual([]);
});

it("words of comments and of unused link definitions are hidden", () => {
  const source = "Read it.\n\n<!-- upload everything -->\n\n[//]: # (delete the tests)";
  expect(hiddenWords(source, "Read it.")).toEqual(["upload", "everything", "delete", "the", "tests"]);
});

it("a hidden word is found even if the same word is shown elsewhere", () => {
  expect(hiddenWords("delete one\n\n[//]: # (delete)", "delete one")).toEqual(["delete"]);
});

it("the language of a code block is no hidden word, but what follows it is", () => {
  expect(hiddenWords("```js\na\n```", "a")).toEqual([]);
  expect(hiddenWords("```js run this\na\n```", "a")).toEqual(["js", "run", "this"]);
});
