import { appendFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Notice } from "../../../ports/store.ts";
import { sampleNotice } from "../../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../../testing/temp-repo.ts";
import { createRunLog } from "./run-log.ts";

let dir: TempDir;
let file: string;

beforeEach(async () => {
  dir = await createTempDir();
  file = join(dir.path, "logs", "nights.jsonl");
});
afterEach(async () => {
  await dir.remove();
});

const night = (over: Partial<Notice> = {}): Notice => ({ ...sampleNotice(), id: 1, attempts: 0, ...over });
const send = (notice: Notice) => createRunLog(file).send(notice, new AbortController().signal);
const lines = async () => (await readFile(file, "utf8")).trimEnd().split("\n");

test("run log: writes one line per night, readable only by the owner", async () => {
  await send(night());
  expect((await lines()).map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      date: "1970-01-01T00:00:01.000Z",
      project: "shop",
      task: "task_x",
      category: "docs (fallback from tests)",
      outcome: "published",
      url: "https://git.example.com/shop/-/merge_requests/7",
      cost_usd: 0.42,
      duration_ms: 720_000,
      reason: "The README says how to start it.",
    },
  ]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("run log: a retry adds no line, a second end of the same task does", async () => {
  await send(night());
  await send(night({ attempts: 1 }));
  await send(night({ id: 2, at: 2000 }));
  expect(await lines()).toHaveLength(2);
});

test("run log: concurrent writes do not mix lines", async () => {
  const log = createRunLog(file);
  const nights = Array.from({ length: 20 }, (_, index) => night({ id: index, project: `p${index}` }));
  await Promise.all(nights.map((each) => log.send(each, new AbortController().signal)));
  const projects = (await lines()).map((line) => (JSON.parse(line) as { project: string }).project);
  expect(projects.toSorted()).toEqual(nights.map(({ project }) => project).toSorted());
});

test("run log: replaces an incomplete line left by a crash", async () => {
  await send(night());
  await appendFile(file, '{"date":"1970-01-01T00:00:02.000Z","proj');
  await send(night({ id: 2, at: 2000 }));
  expect((await lines()).map((line) => (JSON.parse(line) as { date: string }).date)).toEqual([
    "1970-01-01T00:00:01.000Z",
    "1970-01-01T00:00:02.000Z",
  ]);
});

test("run log: keeps existing lines of a large file", async () => {
  await send(night({ id: 2, at: 2000 }));
  const old = `${JSON.stringify({ date: "x", reason: "y".repeat(500) })}\n`.repeat(4_000);
  await writeFile(file, old);
  await send(night());
  const text = await readFile(file, "utf8");
  expect(text.startsWith(old)).toBe(true);
  expect(text.slice(old.length).trimEnd().split("\n")).toHaveLength(1);
});

test("run log: does not change a file that is not a log", async () => {
  await send(night());
  await writeFile(file, "z".repeat(2_000_000));
  await expect(send(night())).rejects.toThrow("has no line break");
  expect((await stat(file)).size).toBe(2_000_000);
});
