import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { splitPatch } from "./split-patch.ts";

const repo = mkdtempSync(join(tmpdir(), "nightshift-patch-"));
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "core.quotePath=false", "-c", "user.name=t", "-c", "user.email=t@t", ...args], {
    cwd: repo,
    encoding: "utf8",
  });

afterAll(() => rmSync(repo, { recursive: true }));

it("splits a patch of git into files with their paths and counts", () => {
  const names = ["a b/a b.txt", 'quo"te\tab\\.txt', "Ünïcode ‮.ts", "gone.txt", "same.sh", "logo.bin"];
  mkdirSync(join(repo, "a b"));
  for (const name of names) writeFileSync(join(repo, name), "one\ntwo\n");
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  for (const name of names.slice(0, 3)) writeFileSync(join(repo, name), "one\n-- x\n++ diff --git a/x b/x\n");
  rmSync(join(repo, "gone.txt"));
  writeFileSync(join(repo, "logo.bin"), Buffer.from([0, 1, 2]));
  writeFileSync(join(repo, "new.txt"), "no line feed at the end");
  git("add", ".");
  git("update-index", "--chmod=+x", "same.sh");
  git("commit", "-qm", "second");
  const patch = git("diff-tree", "-r", "-p", "--no-renames", "HEAD~1", "HEAD");

  const files = splitPatch(patch);
  const edited = { change: "modified", insertions: 2, deletions: 1, binary: false };
  expect(files.map(({ text, ...file }) => (text === "" ? null : file))).toEqual(
    expect.arrayContaining([
      ...names.slice(0, 3).map((path) => ({ path, ...edited })),
      { path: "gone.txt", change: "deleted", insertions: 0, deletions: 2, binary: false },
      { path: "same.sh", change: "modified", insertions: 0, deletions: 0, binary: false },
      { path: "logo.bin", change: "modified", insertions: 0, deletions: 0, binary: true },
      { path: "new.txt", change: "created", insertions: 1, deletions: 0, binary: false },
    ]),
  );
  expect(files).toHaveLength(7);
  expect(files.map(({ text }) => text).join("")).toBe(patch);
});

it("finds no file in an empty patch or in other text", () => {
  expect(splitPatch("")).toEqual([]);
  expect(splitPatch(" diff --git a/x b/x\n")).toEqual([]);
});
