import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { limitsAt } from "../../core/money/budget.ts";
import type { Task } from "../../core/task/task.ts";
import type { Store } from "../../ports/store.ts";
import {
  committing,
  OPEN,
  sampleEnd,
  sampleEvent,
  sampleProject,
  sampleRun,
  SHUT,
  SILENT_LOG,
  startTask,
} from "../../testing/store/samples.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import type { EnginePorts } from "../ports.ts";
import { createLoginWake, wakeParked } from "./wake-parked.ts";

const NOW = Date.UTC(2026, 10, 15, 21);
const NOON = Date.UTC(2026, 10, 16, 12);

let store: Store;
let nightUsd: number | null;
let submitted: string[];

beforeEach(async () => {
  store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
  await store.projects.saveProject(sampleProject(), sampleEvent());
  nightUsd = 1;
  submitted = [];
});
afterEach(() => store.close());

const settings = () => ({
  timeZone: "UTC",
  budget: { nightUsd, monthUsd: null },
  commonBudget: { nightUsd: null, monthUsd: null, timeZone: "UTC" },
});

/** A task that is parked until noon after a run with this cost. `isCutOff`: the run had reserved the whole rest of the budget. */
async function park(costUsd: number, isCutOff: boolean, payload = {}): Promise<Task> {
  const { task, run, lease } = await startTask(store);
  const limits = limitsAt({ ...settings(), project: "shop", at: NOW });
  if (isCutOff) await store.money.reserve(lease, { limits, maxUsd: null });
  const endRun = sampleEnd(run.id, { costUsd, outcome: "night_over", payload, finishedAt: NOW - 1 });
  const parked = { ...task, queuedFor: { kind: "budget", until: NOON } } as const;
  const newRun = sampleRun(task, { notBefore: NOON });
  return (await store.tasks.commit(committing(parked, { lease, endRun, newRun, admission: SHUT }))).task;
}

function portsWith(keysVersion = () => "none"): EnginePorts {
  return {
    store,
    projects: { lastGood: async () => settings() },
    clock: createFakeClock(NOW),
    courier: { submit: async (run: string) => void submitted.push(run) },
    channels: { namesFor: () => [] },
    secrets: { redact: <T>(value: T): T => value },
    host: { capacity: () => OPEN, keysVersion },
  } as unknown as EnginePorts;
}

const wake = (): Promise<void> => wakeParked(portsWith());

/** True if the task no longer waits and its run was submitted. */
async function isWoken({ id }: Task): Promise<boolean> {
  await wake();
  const woken = (await store.tasks.getTask(id))?.queuedFor === null;
  expect(submitted).toHaveLength(woken ? 1 : 0);
  return woken;
}

describe("a task that is parked for its budget", () => {
  it("waits while the limit is used up, and is woken once when it is raised", async () => {
    const task = await park(1, false);
    expect(await isWoken(task)).toBe(false);
    nightUsd = 1.5;
    expect(await isWoken(task)).toBe(true);
    expect(await isWoken(task)).toBe(true);
    const events = await store.events.listEvents({ after: 0, task: task.id, limit: 10 });
    expect(events.map(({ summary }) => summary)).toEqual([
      "budget is available again: it no longer waits until 2026-11-16 12:00 UTC",
    ]);
  });

  it("is woken when the limit is removed", async () => {
    const task = await park(1, false);
    nightUsd = null;
    expect(await isWoken(task)).toBe(true);
  });

  it("is not woken if its run would get no more than it had when it was cut off", async () => {
    const task = await park(0.2, true);
    expect(await isWoken(task)).toBe(false);
    nightUsd = 1.2;
    expect(await isWoken(task)).toBe(false);
    nightUsd = 1.3;
    expect(await isWoken(task)).toBe(true);
  });

  it("is not woken by budget if it waits for change requests to be merged", async () => {
    const task = await park(0.1, false, { open: ["https://forge.example/1"] });
    expect(await isWoken(task)).toBe(false);
  });

  it("is woken alone if there is a limit, and together with all others if there is none", async () => {
    const tasks = [await park(0.5, false), await park(0.5, false), await park(0.5, false)];
    const waiting = async () =>
      (await Promise.all(tasks.map(({ id }) => store.tasks.getTask(id)))).filter((task) => task?.queuedFor);
    nightUsd = 2;
    await wake();
    expect(await waiting()).toHaveLength(2);
    nightUsd = null;
    await wake();
    expect(await waiting()).toEqual([]);
  });

  it("stays paused if a person paused it", async () => {
    const task = await park(1, false);
    await store.tasks.commit(committing({ ...task, status: "paused" }, { admission: SHUT }));
    nightUsd = 5;
    expect(await isWoken(task)).toBe(false);
  });
});

async function parkForLogin(): Promise<string> {
  const { task, run, lease } = await startTask(store);
  const endRun = sampleEnd(run.id, { outcome: "login_expired", finishedAt: NOW - 1 });
  const parked = { ...task, queuedFor: { kind: "login", until: NOON } } as const;
  const newRun = sampleRun(task, { notBefore: NOON });
  return (await store.tasks.commit(committing(parked, { lease, endRun, newRun, admission: SHUT }))).task.id;
}
const isParked = async (id: string): Promise<boolean> => (await store.tasks.getTask(id))?.queuedFor !== null;

describe("a task that is parked for a login", () => {
  it("is woken after the start of the daemon, and then once for each change of a stored key", async () => {
    let version = "1";
    const wakeForLogin = createLoginWake(portsWith(() => version));
    const first = await parkForLogin();
    await wakeForLogin();
    expect(await isParked(first)).toBe(false);
    expect(submitted).toHaveLength(1);
    const second = await parkForLogin();
    await wakeForLogin();
    expect(await isParked(second)).toBe(true);
    version = "2";
    await wakeForLogin();
    expect(await isParked(second)).toBe(false);
    const budget = await park(1, false);
    version = "3";
    await wakeForLogin();
    expect(await isParked(budget.id)).toBe(true);
  });
});
