import { expect, test } from "vitest";
import { recentCommitsToAvoid } from "./recent-commits.ts";
import { summarizePaths } from "./summarize-paths.ts";

test.for([
  [1, 0],
  [9, 0],
  [25, 2],
  [100, 10],
  [5000, 10],
] as const)("by default, a history of %i commits excludes the files of the last %i", ([history, avoided]) => {
  expect(recentCommitsToAvoid(null, history)).toBe(avoided);
});

test("a setting applies as it is, however short the history is", () => {
  expect(recentCommitsToAvoid(10, 3)).toBe(10);
  expect(recentCommitsToAvoid(0, 3000)).toBe(0);
});

test("a directory replaces its files only if all of them are listed", () => {
  const all = ["README.md", "src/a.ts", "src/b.ts", "old/deep/x.ts", "old/y.ts", "lib/z.ts"];
  expect(summarizePaths(["src/a.ts", "old/deep/x.ts", "old/y.ts", "lib/z.ts"], all)).toEqual([
    "lib/",
    "old/",
    "src/a.ts",
  ]);
  expect(summarizePaths(all, all)).toEqual(["README.md", "lib/", "old/", "src/"]);
  expect(summarizePaths([], all)).toEqual([]);
});
