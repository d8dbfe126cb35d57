import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { createProjectFiles } from "../../config/files/project-files.ts";
import { SYSTEM, type EventDraft } from "../../core/task/event.ts";
import type { Task } from "../../core/task/task.ts";
import { isEndOfNight } from "../../core/notices/notice.ts";
import type { EnginePorts } from "../ports.ts";
import { REGISTRY } from "../../daemon/wire/registry.ts";
import type { Store } from "../../ports/store.ts";
import {
  committing,
  sampleArtifact,
  sampleEnd,
  sampleEvent,
  sampleTask,
  SHUT,
  SILENT_LOG,
  startTask,
} from "../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { noticesFor } from "./notices.ts";

const BUILTIN = join(import.meta.dirname, "../../builtin");

let dir: TempDir;
let store: Store;

beforeEach(async () => {
  dir = await createTempDir();
  store = await openSqliteStore({ file: join(dir.path, "nightshift.db"), log: SILENT_LOG });
});
afterEach(async () => {
  await store.close();
  await dir.remove();
});

const ended = (task: string): EventDraft =>
  sampleEvent({ task, type: "task.ended", at: 5_000, summary: "failed: it is hunter22", data: { status: "failed" } });
const portsOf = (...channels: readonly string[]) => ({
  store,
  projects: createProjectFiles({ configDir: dir.path, builtinDir: BUILTIN, format: REGISTRY.format }),
  channels: {
    namesFor: (project: string, kind: string) => channels.map((channel) => `${channel} of ${project} for ${kind}`),
  },
  secrets: {
    redact: <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("hunter22", "[redacted]")) as T,
  },
});

test("events without a notice cause none, and nothing is read from the store", async () => {
  const ports = { ...portsOf("ntfy"), store: {} as Store };
  expect(await noticesFor(ports, { task: sampleTask(), events: [sampleEvent({ type: "run.ended" })] })).toEqual([]);
});

test("every channel gets the current data, including the run that ends now and the change request it opened", async () => {
  const { task, run } = await startTask(store);
  const notices = await noticesFor(portsOf("ntfy", "webhook"), {
    task: { ...task, status: "failed", reason: "it is hunter22", createdAt: 1_000 },
    events: [ended(task.id)],
    endRun: sampleEnd(run.id, { costUsd: 0.25 }),
    artifacts: [sampleArtifact({ type: "change_request", url: "https://git.example.com/7" })],
  });
  expect(notices.map(({ channel }) => channel)).toEqual(["ntfy of shop for failed", "webhook of shop for failed"]);
  expect(notices[0]).toMatchObject({
    project: "shop",
    task: task.id,
    kind: "failed",
    data: { costUsd: 0.25, durationMs: 4_000, url: "https://git.example.com/7", reason: "it is [redacted]" },
  });
});

test("a closed change request causes a notice with the command that gives the reason", async () => {
  const { task } = await startTask(store);
  const unexplained = sampleEvent({ task: task.id, type: "request.unexplained", summary: "closed: why?" });
  const ports = { ...portsOf(), channels: { namesFor: () => ["ntfy"] } };
  const notices = await noticesFor(ports, {
    task: { ...task, pipeline: "improve", status: "succeeded" },
    events: [unexplained],
  });
  expect(notices).toMatchObject([
    {
      channel: "ntfy",
      kind: "waiting",
      data: { about: "closed", next: [expect.stringContaining(`reason ${task.id} `)] },
    },
  ]);
});

test.for([
  ["login", 1],
  ["provider", 1],
  ["remote", 1],
  ["machine", 1],
  ["backoff", 0],
] as const)("a task that waits for %s causes %i notices, however often it is retried", async ([kind, times]) => {
  const { task } = await startTask(store);
  const queued = sampleEvent({ task: task.id, type: "task.queued", summary: "it is hunter22", data: { kind } });
  const ports = { ...portsOf(), channels: { namesFor: () => ["ntfy"] } };
  const first = await noticesFor(ports, { task: { ...task, pipeline: "improve" }, events: [queued] });
  expect(first.map(({ channel }) => channel)).toEqual(["ntfy"].slice(0, times));
  expect(first.every(({ data }) => data.about === kind && data.reason === "it is [redacted]")).toBe(true);
  await store.events.appendEvents([queued]);
  expect(await noticesFor(ports, { task, events: [queued] })).toEqual([]);
});

test("tasks that are parked for the same reason cause one notice", async () => {
  const [first, second] = [(await startTask(store)).task, (await startTask(store)).task];
  const queuedFor = { kind: "remote", until: 9_000, reason: "The remote is gone." } as const;
  const ports = { ...portsOf(), channels: { namesFor: () => ["ntfy"] } };
  const count = async (task: Task) => {
    const events = [sampleEvent({ task: task.id, type: "task.queued", data: { kind: "remote" } })];
    return (await noticesFor(ports, { task: { ...task, status: "queued", queuedFor }, events })).length;
  };
  expect(await count(first)).toBe(1);
  await store.tasks.commit(committing({ ...first, status: "queued", queuedFor }, { admission: SHUT }));
  expect(await count(second)).toBe(0);
});

test("a task that the engine cancelled is reported as failed, one that a person cancelled is not", async () => {
  const { task } = await startTask(store);
  const kindsFor = async (over: Partial<EventDraft>) =>
    (
      await noticesFor(portsOf("ntfy"), {
        task: { ...task, status: "cancelled" },
        events: [sampleEvent({ task: task.id, type: "task.ended", data: { status: "cancelled" }, run: null, ...over })],
      })
    ).map(({ kind }) => kind);
  expect(await kindsFor({ actor: SYSTEM })).toEqual(["failed"]);
  expect(await kindsFor({ actor: { kind: "person", name: "ada" } })).toEqual(["finished"]);
  // A person's order, carried out by the run.
  expect(await kindsFor({ actor: SYSTEM, run: "run_1" })).toEqual(["finished"]);
});

const text = (policy: string) => `name: mine
start: publishing
${policy}
states:
  publishing: { publish: true, on: { published: done } }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`;

type NamesForParams = Parameters<EnginePorts["channels"]["namesFor"]>;
const nightLogOnly = (...[, kind, data]: NamesForParams) => (isEndOfNight(kind, data) ? ["run_log"] : []);

test("the task's pipeline decides whether its end is written to the night log", async () => {
  const { task } = await startTask(store);
  const ports = { ...portsOf(), channels: { namesFor: nightLogOnly } };
  await store.projects.keepPipeline("quiet", "mine", text(""));
  await store.projects.keepPipeline("night", "mine", text("policy: { report: night }"));
  const channelsOf = async (pipelineHash: string) => {
    const commit = { task: { ...task, pipeline: "mine", pipelineHash }, events: [ended(task.id)] };
    return (await noticesFor(ports, commit)).map(({ channel }) => channel);
  };
  expect(await channelsOf("quiet")).toEqual([]);
  expect(await channelsOf("night")).toEqual(["run_log"]);
});

test("a task whose pipeline can no longer be read is still reported", async () => {
  const { task } = await startTask(store);
  const items = { list: ["docs"], at: 0, scheduled: 1, tried: [] };
  const ports = {
    ...portsOf(),
    channels: { namesFor: (...params: NamesForParams) => ["ntfy", ...nightLogOnly(...params)] },
  };
  const channelsOf = async (over: Partial<typeof task>) =>
    (await noticesFor(ports, { task: { ...task, ...over, pipelineHash: "gone" }, events: [ended(task.id)] })).map(
      ({ channel }) => channel,
    );
  expect(await channelsOf({})).toEqual(["ntfy"]);
  expect(await channelsOf({ items })).toEqual(["ntfy", "run_log"]);
});

test.for(["quota", "login", "provider"] as const)(
  "an agent that is parked for its %s causes one notice, and the task that found it none",
  async (kind) => {
    const { task } = await startTask(store);
    const data = { kind, until: 9_000, agent: "codex" };
    const events = [
      sampleEvent({ task: task.id, type: "agent.parked", summary: "codex is gone", data }),
      sampleEvent({ task: task.id, type: "task.queued", summary: "it is gone", data }),
    ];
    const ports = { ...portsOf(), channels: { namesFor: () => ["ntfy"] } };
    expect(await noticesFor(ports, { task, events })).toMatchObject([
      { kind: "waiting", text: "codex is gone", data: { about: kind, reason: "codex is gone" } },
    ]);
  },
);
