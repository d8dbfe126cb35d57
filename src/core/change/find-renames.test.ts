import { expect, it } from "vitest";
import { findRenames } from "./find-renames.ts";
import { splitPatch } from "./split-patch.ts";

const created = (path: string, lines: readonly string[]) =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`;
const deleted = (path: string, lines: readonly string[]) =>
  `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n@@ -1,${lines.length} +0,0 @@\n${lines.map((line) => `-${line}\n`).join("")}`;

it("renames: a file that was deleted and created with the same content was moved", () => {
  const patch = deleted("a.ts", ["one", "two"]) + created("b.ts", ["one", "two"]) + created("c.ts", ["one"]);
  expect([...findRenames(splitPatch(patch))]).toEqual([["b.ts", "a.ts"]]);
});

it("renames: equal files are not told apart, and a deleted file moves only once", () => {
  const ambiguous = deleted("a.ts", ["x"]) + deleted("b.ts", ["x"]) + created("c.ts", ["x"]);
  expect(findRenames(splitPatch(ambiguous)).size).toBe(0);
  const copies = deleted("a.ts", ["x"]) + created("c.ts", ["x"]) + created("d.ts", ["x"]);
  expect([...findRenames(splitPatch(copies))]).toEqual([["c.ts", "a.ts"]]);
});
