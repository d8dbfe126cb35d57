import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import type { Task } from "../../core/task/task.ts";
import type { Store } from "../../ports/store.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import { committing, OPEN, sampleEvent, SILENT_LOG, startTask } from "../../testing/store/samples.ts";
import type { EnginePorts } from "../ports.ts";
import { endTask } from "./task-commands.ts";

const ADA = { kind: "person", name: "ada" } as const;

let store: Store;
let clock: FakeClock;

beforeEach(async () => {
  store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
  clock = createFakeClock();
});
afterEach(() => store.close());

/** Cancels a task whose run is executing. */
function cancel({ id }: Task): Promise<Task> {
  const ports = {
    store,
    clock,
    courier: { cancel: async () => undefined, submit: async () => undefined },
    channels: { namesFor: () => [] },
    secrets: { redact: <T>(value: T): T => value },
    host: { capacity: () => OPEN },
  } as unknown as EnginePorts;
  return endTask(ports, id, "cancel", ADA);
}

it("cancel: waits at most ten seconds for the run to end, and keeps the order in the task", async () => {
  const { task } = await startTask(store);
  let isOver = false;
  const cancelled = cancel(task).finally(() => (isOver = true));
  await clock.advance(9_999);
  expect(isOver).toBe(false);
  expect(await store.tasks.getTask(task.id)).toMatchObject({ order: "cancel", finishedAt: null });
  await clock.advance(1);
  expect(await cancelled).toMatchObject({ order: "cancel", finishedAt: null });
});

it("cancel: returns as soon as the task has ended, and leaves no timer behind", async () => {
  const { task } = await startTask(store);
  const cancelled = cancel(task);
  await clock.advance(100);
  const ordered = await store.tasks.getTask(task.id);
  if (ordered === null) throw new Error("the task is gone");
  const ended = { ...ordered, status: "cancelled", finishedAt: clock.now() } as const;
  const event = sampleEvent({ task: task.id, type: "task.ended" });
  await store.tasks.commit(committing(ended, { expectedVersion: ordered.version, lease: null, events: [event] }));
  expect(await cancelled).toMatchObject({ status: "cancelled" });
  expect(clock.pending()).toBe(0);
});
