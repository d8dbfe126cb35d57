import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRunFiles } from "../../adapters/run-files/run-files.ts";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { REGISTRY } from "../../daemon/wire/registry.ts";
import { createRetention } from "../../daemon/retention.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import {
  committing,
  sampleEnd,
  sampleEvent,
  sampleProject,
  SHUT,
  SILENT_LOG,
  startTask,
} from "../../testing/store/samples.ts";
import type { Store } from "../../ports/store.ts";
import type { EnginePorts } from "../ports.ts";
import { createRetentionSweep } from "./retention.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 15, 12);

let home: string;
let store: Store;
let clock: FakeClock;
let ports: EnginePorts;
let sweep: () => Promise<void>;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "nightshift-retention-"));
  for (const folder of ["runs", "logs"]) await mkdir(join(home, folder));
  await configure("retention: 30d\n");
  store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
  await store.projects.saveProject(sampleProject(), sampleEvent());
  clock = createFakeClock(START);
  const runFiles = createRunFiles({ home });
  const host = { retention: createRetention(home, REGISTRY.format) };
  ports = { store, clock, runFiles, host } as unknown as EnginePorts;
  sweep = createRetentionSweep(ports);
});
afterEach(async () => {
  await store.close();
  await rm(home, { recursive: true });
});

const configure = (text: string): Promise<void> => writeFile(join(home, "config.yaml"), text);
const filesOf = (run: string): string => join(home, "runs", run);

/** Writes the files of a run as if they had last changed at the start of the test. */
async function writeRun(run: string): Promise<void> {
  await mkdir(join(filesOf(run), "checks"), { recursive: true });
  await writeFile(join(filesOf(run), "transcript.jsonl"), "{}\n");
  await utimes(filesOf(run), START / 1000, START / 1000);
}

/** A task with one run, which has cost a dollar and ended at the start of the test, unless it is still open. */
async function addTask(isOpen = false): Promise<{ readonly task: string; readonly run: string }> {
  const { task, run, lease } = await startTask(store);
  const endRun = sampleEnd(run.id, { costUsd: 1, outcome: "implemented", finishedAt: START });
  const ended = isOpen ? task : { ...task, status: "succeeded" as const, finishedAt: START };
  await store.tasks.commit(committing(ended, { lease, endRun, admission: SHUT }));
  await writeRun(run.id);
  return { task: task.id, run: run.id };
}

const costs = () =>
  store.money.costs({ by: ["day"], since: 0, until: START + 400 * DAY, project: null, timeZone: "UTC" });

describe("retention", () => {
  it("removes the files of tasks that ended long enough ago, once, and keeps the task, its runs and its costs", async () => {
    const { task, run } = await addTask();
    const before = await costs();
    await clock.advance(30 * DAY);
    await sweep();
    expect(existsSync(filesOf(run))).toBe(true);
    await clock.advance(1);
    await sweep();
    await sweep();
    expect(existsSync(filesOf(run))).toBe(false);
    expect(await store.tasks.getTask(task)).toMatchObject({ status: "succeeded" });
    expect(await store.tasks.getRun(run)).toMatchObject({ costUsd: 1 });
    expect(await costs()).toEqual(before);
    const events = await store.events.listEvents({ after: 0, task, limit: 10 });
    expect(events.filter(({ type }) => type === "task.files_removed").map(({ summary }) => summary)).toEqual([
      "removed its transcripts and logs, because it ended more than 30 days ago (retention)",
    ]);
  });

  it("lists all files only the first time, and then asks the store for the tasks whose time has come", async () => {
    const listed = vi.spyOn(ports.runFiles, "listOldRuns");
    await sweep();
    const { run } = await addTask();
    await clock.advance(30 * DAY);
    await sweep();
    expect(existsSync(filesOf(run))).toBe(true);
    await clock.advance(1);
    await sweep();
    expect(existsSync(filesOf(run))).toBe(false);
    expect(listed).toHaveBeenCalledTimes(1);
  });

  it("removes no files twice when it was longer meanwhile", async () => {
    const { task } = await addTask();
    await clock.advance(31 * DAY);
    for (const retention of ["30d", "60d", "30d"]) {
      await configure(`retention: ${retention}\n`);
      await sweep();
    }
    const events = await store.events.listEvents({ after: 0, task, limit: 10 });
    expect(events.filter(({ type }) => type === "task.files_removed")).toHaveLength(1);
  });

  it("keeps the files of unfinished tasks, and removes files without a task", async () => {
    const open = await addTask(true);
    await writeRun("run_unknown");
    await clock.advance(31 * DAY);
    await sweep();
    expect(await readdir(join(home, "runs"))).toEqual([open.run]);
  });

  it("removes the daemon's log of old days and nothing else", async () => {
    const names = ["2026-11-14.jsonl", "2026-11-15.jsonl", "2026-11-16.jsonl", "nights.jsonl", "start.log"];
    for (const name of names) await writeFile(join(home, "logs", name), "{}\n");
    await clock.advance(30 * DAY);
    await sweep();
    expect((await readdir(join(home, "logs"))).toSorted()).toEqual(names.slice(1));
  });

  it("keeps everything if it is not set, and follows a changed config.yaml", async () => {
    const { run } = await addTask();
    await configure("");
    await clock.advance(400 * DAY);
    await sweep();
    expect(existsSync(filesOf(run))).toBe(true);
    await configure("retention: 399d\n");
    await sweep();
    expect(existsSync(filesOf(run))).toBe(false);
  });

  it("removes nothing while config.yaml is invalid", async () => {
    const { run } = await addTask();
    await configure("retention: 0d\n");
    await clock.advance(400 * DAY);
    await expect(sweep()).rejects.toThrow("retention");
    expect(existsSync(filesOf(run))).toBe(true);
  });
});
