import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeFiles } from "./describe-files.ts";
import { createFileRecord } from "./file-record.ts";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-describe-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, text = ""): void {
  mkdirSync(join(dir, path, ".."), { recursive: true });
  writeFileSync(join(dir, path), text);
}

describe("map of a directory on disk", () => {
  it("has the files with their sizes, without git's data and installed packages, and follows no link", async () => {
    write("notes.md", "12345");
    write("a/b/deep.ts", "1");
    write(".git/objects/pack");
    write("a/node_modules/left-pad/index.js");
    symlinkSync("/usr", join(dir, "link"));
    const map = await createFileRecord().describe(dir);
    expect(map).toContain("3 files, 10 B.\nDirectories:\n- a: 1 file, 1 B\n- a/b: 1 file, 1 B\nFiles at the top:");
    expect(map).not.toMatch(/objects|left-pad|more/);
  });

  it("ends after the allowed number of entries and says that there are more", () => {
    for (let index = 0; index < 30; index++) write(`sub/${index}.txt`);
    write("top.md");
    expect(describeFiles(dir, { maxEntries: 12, maxMs: 60_000 })).toMatch(/^11 files, 0 B. There are more: /);
  });

  it("ends after the allowed time", () => {
    write("top.md");
    expect(describeFiles(dir, { maxEntries: 100, maxMs: 0 })).toMatch(/^0 files, 0 B. There are more: /);
  });

  it("is empty for an empty directory, and null for a missing one", async () => {
    expect(describeFiles(dir)).toBe("0 files, 0 B.");
    expect(await createFileRecord().describe(join(dir, "missing"))).toBeNull();
  });
});
