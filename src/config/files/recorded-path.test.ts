import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readRecordedPath, mergePaths, writeRecordedPath, type RecordedPath } from "./recorded-path.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "nightshift-path-"));
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

const record: RecordedPath = {
  path: "/a:/b",
  from: "shell",
  shell: "/bin/zsh",
  problem: null,
  recordedAt: Date.UTC(2026, 10, 15),
};

it("recorded PATH: is stored in a private path.json and replaced atomically", async () => {
  expect(readRecordedPath(home)).toBeNull();
  writeRecordedPath(home, { ...record, path: "/old" });
  writeRecordedPath(home, record);
  expect(readRecordedPath(home)).toEqual(record);
  expect((await stat(join(home, "path.json"))).mode & 0o777).toBe(0o600);
  expect(await readdir(home)).toEqual(["path.json"]);
});

it("recorded PATH: an unreadable file counts as missing, and relative folders are dropped", async () => {
  for (const text of ["", "[]", "null", '{"path": 1}', '{"path": "/a", "recorded_at": "once"}']) {
    await writeFile(join(home, "path.json"), text);
    expect(readRecordedPath(home), text).toBeNull();
  }
  await writeFile(join(home, "path.json"), '{"path": "/a:.::/b:/a", "recorded_at": "2026-11-15T00:00:00Z"}');
  expect(readRecordedPath(home)).toMatchObject({ path: "/a:/b", from: "caller", shell: null });
});

it("recorded PATH: merged folders come after the existing ones", () => {
  expect(mergePaths("/a:/b", "/c:/a:rel:/d")).toBe("/a:/b:/c:/d");
  expect(mergePaths("", "/c")).toBe("/c");
  expect(mergePaths("/a", "")).toBe("/a");
});
