import { afterEach, describe, expect, it } from "vitest";
import { RemoteError } from "../../core/text/errors.ts";
import type { Run } from "../../core/task/run.ts";
import type { Task } from "../../core/task/task.ts";
import { ADA, openEngineWorld, type EngineWorld, type EngineWorldOptions } from "../../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../../testing/engine/scripted-supervisors.ts";
import { moveWaitingTasks } from "../reconcile/parked-agents.ts";
import { createLoginWake } from "../reconcile/wake-parked.ts";
import { admissionNow, type EnginePorts } from "../ports.ts";

const MINUTE = 60_000;
const WORKS: ScriptedEnd = {
  files: { "greeting.txt": "hello, world\n" },
  report: { outcome: "implemented", summary: "greeted" },
};

function failing(failure: string, more: readonly object[] = []): ScriptedEnd {
  const events = [...more, { type: "error", message: `it failed: ${failure}`, failure }];
  return { output: `${events.map((event) => JSON.stringify(event)).join("\n")}\n`, exitCode: 1 };
}

let world: EngineWorld;
let agent: ScriptedEnd = WORKS;
let skippedMs = 0;
let keys = "1";
let keysChangedAt = 0;

async function open(options: Partial<EngineWorldOptions> = {}): Promise<void> {
  agent = WORKS;
  skippedMs = 0;
  keys = "1";
  keysChangedAt = 0;
  world = await openEngineWorld({
    script: ({ name }) => (name === "agent" ? agent : {}),
    over: (ports) => ({
      clock: { ...ports.clock, now: () => ports.clock.now() + skippedMs },
      host: { ...ports.host, keysVersion: () => keys, keysChangedAt: () => keysChangedAt },
      channels: { ...ports.channels, namesFor: () => ["ntfy"] },
    }),
    ...options,
  });
}
afterEach(() => world.close());

const ports = (): EnginePorts => world.ports;
const admit = (): Promise<readonly string[]> => ports().store.tasks.admit(admissionNow(ports()));
const parked = async () => (await ports().store.agents.listParked())[0];
const getTask = async (id: string): Promise<Task> => {
  const task = await ports().store.tasks.getTask(id);
  if (task === null) throw new Error(`no task ${id}`);
  return task;
};
/** Executes every run that may start now. */
async function work(): Promise<readonly Run[]> {
  await admit();
  const runs: Run[] = [];
  for (const { task } of await ports().store.tasks.listOpenRuns()) {
    const run = await world.step(task);
    if (run !== null) runs.push(run);
  }
  return runs;
}
async function countEvents(type: string): Promise<number> {
  const events = await ports().store.events.listEvents({ after: 0, task: null, limit: 1000 });
  return events.filter((event) => event.type === type).length;
}
const notices = async () =>
  (await ports().store.outbox.dueNotices(Number.MAX_SAFE_INTEGER, 100)).filter(({ kind }) => kind === "waiting");

describe("an agent that does not reach its provider", () => {
  it("is parked for all of its tasks with one notice, probed by one run with back-off, and unparked for all", async () => {
    await open({ settings: "limits: { concurrent_runs: 8 }\n" });
    const ids = [(await world.submit()).id, (await world.submit()).id];
    agent = failing("network");
    expect((await work()).map(({ outcome }) => outcome)).toEqual(["provider_down", "provider_down"]);
    const late = await world.submit();
    const { until = 0, reason } = (await parked()) ?? {};
    expect(reason).toBe("it failed: network");
    for (const id of [...ids, late.id])
      expect(await getTask(id)).toMatchObject({
        status: "queued",
        queuedFor: { kind: "provider", agent: "mine", until, reason },
      });
    expect(await countEvents("agent.parked")).toBe(1);
    expect(await notices()).toHaveLength(1);

    for (const minutes of [1, 2, 4]) {
      expect(await work()).toEqual([]);
      const next = (await parked())?.until ?? 0;
      // The parking may be some milliseconds old.
      expect(next - ports().clock.now()).toBeGreaterThan((minutes - 1) * MINUTE);
      expect(next - ports().clock.now()).toBeLessThanOrEqual(minutes * MINUTE);
      skippedMs += minutes * MINUTE;
      expect((await work()).map(({ outcome, attempt }) => [outcome, attempt])).toEqual([["provider_down", 1]]);
    }
    for (const id of [...ids, late.id]) expect((await getTask(id)).queuedFor?.until).toBe((await parked())?.until);

    agent = WORKS;
    skippedMs += 8 * MINUTE;
    expect((await work()).map(({ outcome }) => outcome)).toEqual(["implemented"]);
    expect(await parked()).toBeUndefined();
    for (const id of [...ids, late.id]) expect(await getTask(id)).toMatchObject({ queuedFor: null });
    await admit();
    for (const id of [...ids, late.id]) expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    for (const id of ids)
      expect((await world.runs(id)).filter(({ role }) => role === "implement").map(({ attempt }) => attempt)).toSatisfy(
        (attempts: readonly number[]) => attempts.every((attempt) => attempt === 1),
      );
    expect([await countEvents("agent.parked"), await countEvents("agent.unparked")]).toEqual([1, 1]);
    expect(await notices()).toHaveLength(1);
  });

  it("does not stop the tasks of another agent", async () => {
    await open({ settings: "limits: { concurrent_runs: 8 }\n" });
    agent = failing("overloaded");
    const { id } = await world.submit();
    await work();
    agent = WORKS;
    const other = await world.submit({ agent: "scripted" });
    expect(other.queuedFor).toBeNull();
    expect(await world.drain(other.id)).toMatchObject({ status: "succeeded" });
    expect(await getTask(id)).toMatchObject({ status: "queued", queuedFor: { kind: "provider" } });
  });

  it("is probed by another task if the probe is cancelled", async () => {
    await open({ settings: "limits: { concurrent_runs: 8 }\n" });
    agent = failing("network");
    const [first, second] = [await world.submit(), await world.submit()];
    await work();
    skippedMs += MINUTE;
    const [probe = ""] = await admit();
    expect(await ports().store.tasks.getRun(probe)).toMatchObject({ task: first.id });
    await world.commands.kill(first.id, ADA);
    await world.step(first.id);
    agent = WORKS;
    await admit();
    expect(await world.drain(second.id)).toMatchObject({ status: "succeeded" });
    expect(await parked()).toBeUndefined();
  });
});

describe("an agent whose login expired", () => {
  it.each([
    ["a person retries the agent", () => world.commands.retryAgent("mine", ADA)],
    ["a person retries one of its tasks", (id: string) => world.commands.retry(id, null, ADA)],
    ["a person resumes one of its tasks", (id: string) => world.commands.resume(id, ADA)],
    ["the daemon is restarted", () => createLoginWake(ports())()],
  ] as const)("is tried when %s, and all of its tasks continue", async (_when, act) => {
    await open({ settings: "limits: { concurrent_runs: 8 }\n" });
    const ids = [(await world.submit()).id, (await world.submit()).id, (await world.submit()).id];
    agent = failing("login");
    await work();
    for (const id of ids) expect(await getTask(id)).toMatchObject({ queuedFor: { kind: "login", agent: "mine" } });
    expect(await notices()).toHaveLength(1);
    skippedMs += 5 * MINUTE;
    expect(await work()).toEqual([]);
    agent = WORKS;
    await act(ids[0] ?? "");
    expect((await work()).map(({ outcome }) => outcome)).toEqual(["implemented"]);
    await admit();
    for (const id of ids) expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    expect(await notices()).toHaveLength(1);
  });

  it("is tried when a stored key changes, and not before", async () => {
    await open();
    const onKeys = createLoginWake(ports());
    await onKeys();
    agent = failing("login");
    const { id } = await world.submit();
    await work();
    await onKeys();
    expect(await work()).toEqual([]);
    keys = "2";
    agent = WORKS;
    await onKeys();
    await admit();
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it("is not parked by a run that was started with an older key", async () => {
    await open();
    agent = failing("login");
    const { id } = await world.submit();
    keysChangedAt = ports().clock.now() + MINUTE;
    expect(await work()).toMatchObject([
      { outcome: "interrupted", error: "it failed: login. It is repeated, because the keys may have changed." },
    ]);
    expect(await parked()).toBeUndefined();
    expect(await notices()).toEqual([]);
    skippedMs += 2 * MINUTE;
    agent = WORKS;
    await admit();
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    expect((await world.runs(id)).filter(({ role }) => role === "implement").at(-1)).toMatchObject({ attempt: 1 });
  });

  it("cannot be retried while it is not parked; the message names the parked ones", async () => {
    await open();
    await expect(world.commands.retryAgent("mine", ADA)).rejects.toThrow("The agent mine is not parked.");
    agent = failing("login");
    await world.submit();
    await work();
    await expect(world.commands.retryAgent("codex", ADA)).rejects.toMatchObject({ hint: "Parked agents: mine." });
  });
});

describe("an agent with a used-up quota", () => {
  it("is tried at the reset, not before", async () => {
    await open();
    const resetsAt = Math.ceil((Date.now() + 3 * 60 * MINUTE) / 1000) * 1000;
    agent = failing("usage_limit", [{ type: "limit", kind: "usage", resets_at: new Date(resetsAt).toISOString() }]);
    const { id } = await world.submit();
    await work();
    expect(await getTask(id)).toMatchObject({ queuedFor: { kind: "quota", until: resetsAt } });
    expect(await notices()).toHaveLength(1);
    skippedMs += 2 * 60 * MINUTE;
    expect(await work()).toEqual([]);
    skippedMs += 60 * MINUTE + 1000;
    agent = WORKS;
    await admit();
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it("leaves its waiting tasks to the fallback agent", async () => {
    await open({ settings: "limits: { concurrent_runs: 1 }\nfallback_agent: scripted\n" });
    agent = failing("usage_limit");
    const [first, second] = [await world.submit(), await world.submit()];
    await work();
    expect(await getTask(first.id)).toMatchObject({ queuedFor: null, options: { agent: "scripted" } });
    agent = WORKS;
    expect(await world.drain(first.id)).toMatchObject({ status: "succeeded" });
    expect(await getTask(second.id)).toMatchObject({ status: "queued", queuedFor: { kind: "quota" } });
    await moveWaitingTasks(ports());
    expect(await getTask(second.id)).toMatchObject({ queuedFor: null, options: { agent: "scripted" } });
    expect(await world.drain(second.id)).toMatchObject({ status: "succeeded" });
    expect(await parked()).toMatchObject({ agent: "mine", kind: "quota" });
  });
});

it.each([
  ["this machine has trouble", "machine", Object.assign(new Error("EIO: i/o error"), { code: "EIO" })],
  ["the git remote is not reachable", "remote", new RemoteError("unreachable", "no route to host")],
  ["the git remote refuses the login", "login", new RemoteError("credentials", "permission denied (publickey)")],
] as const)("an agent is not parked because %s", async (_why, kind, error) => {
  const failToOpen = async (): Promise<never> => {
    throw error;
  };
  await open({ over: (base) => ({ workspaces: { ...base.workspaces, open: failToOpen } }) });
  const { id } = await world.submit();
  await world.step(id);
  const { status, queuedFor } = await getTask(id);
  expect([status, queuedFor?.kind, queuedFor?.agent]).toEqual(["queued", kind, undefined]);
  expect(await parked()).toBeUndefined();
});
