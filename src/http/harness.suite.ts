import { mkdtemp, rm } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../adapters/stores/sqlite/open.ts";
import { UserError } from "../core/text/errors.ts";
import type { ParkedAgent } from "../core/task/parked-agent.ts";
import type { Actor, EventDraft } from "../core/task/event.ts";
import { makeId } from "../core/task/ids.ts";
import { NO_TOKENS } from "../core/task/run.ts";
import type { Task } from "../core/task/task.ts";
import { acceptTrust, addProject, removeProject } from "../engine/commands/project-commands.ts";
import type { Commands } from "../engine/commands/commands-contract.ts";
import { type DiffPorts, readDiff } from "../engine/report/read-diff.ts";
import { readReport } from "../engine/report/read-report.ts";
import { createSessions } from "../engine/commands/sessions.ts";
import { addToken, removeToken } from "../engine/commands/tokens.ts";
import type { DetectedProject, ProjectFiles } from "../ports/projects.ts";
import type { Admission, NewRun, Store } from "../ports/store.ts";
import { type App, type AppOptions, createApp } from "./app.ts";
import { hashToken } from "./auth.ts";
import { SHOP_SETTINGS } from "./shop-settings.suite.ts";
import { FakeTranscript } from "./fake-transcript.suite.ts";
import type { HttpDeps } from "./deps.ts";
import type { Address } from "./guard.ts";
import { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";
import { builtIn } from "../testing/walk.ts";
import { makeProposal, makeRule, makeTask as buildTask } from "../testing/builders.ts";

export const ADDRESS: Address = { host: "127.0.0.1", port: 4816, publicUrl: null };
export const OWNER_TOKEN = "owner-token";
const OWNER = "alice";
export const NOW = Date.UTC(2026, 10, 15, 22);
export const PERSON: Actor = { kind: "person", name: "test" };
export const ADMIT: Admission = { at: NOW, total: 100, projects: {}, perProject: 100 };

/** A recorded call of a command. */
export type CommandCall = readonly [command: keyof Commands, ...given: unknown[]];

export interface Harness {
  readonly store: Store;
  readonly deps: HttpDeps;
  readonly clock: FakeClock;
  readonly app: App;
  readonly calls: CommandCall[];
  readonly logged: string[];
  readonly stops: boolean[];
  readonly transcript: FakeTranscript;
  /** Sends a request as the owner, unless the headers say otherwise. */
  request(method: string, path: string, more?: { body?: unknown; headers?: Record<string, string> }): Promise<Response>;
  close(): Promise<void>;
}

export async function openHarness(options?: AppOptions, address = ADDRESS): Promise<Harness> {
  const dir = await mkdtemp(join(tmpdir(), "nightshift-http-"));
  const calls: CommandCall[] = [];
  const logged: string[] = [];
  const stops: boolean[] = [];
  const log = {
    info: () => {},
    warn: (message: string) => void logged.push(message),
    error: (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`),
  };
  const store = await openSqliteStore({ file: join(dir, "test.db"), log });
  const transcript = new FakeTranscript();
  const clock = createFakeClock(NOW);
  const deps: HttpDeps = {
    commands: { ...recordCommands(store, calls), ...realCommands(store) },
    sessions: createSessions({ store, clock, digest: hashToken, host: { owner: OWNER } }),
    night: {
      upcoming: async () => ({ runs: [], problems: [] }),
      budgets: async () => [],
      report: (query) => readReport({ store, projects: SHOP_FILES }, query),
      preview: async () => {
        throw new UserError("not_found", "There is nothing to preview.");
      },
    },
    previewDraft: async ({ pipeline }) => ({
      steps: [
        {
          state: "implementing",
          kind: "agent",
          role: "implement",
          waitsFor: null,
          agents: [{ agent: "mine", model: null }],
          timeoutMs: 600_000,
          maxTurns: null,
          maxUsd: 2,
          limits: [],
          checks: [],
          isLast: false,
        },
      ],
      maxUsd: null,
      taskTimeoutMs: 1,
      forge: null,
      isHeld: false,
      problems: pipeline === "nope" ? [{ key: "pipeline", message: "There is no pipeline." }] : [],
    }),
    store,
    runFiles: {
      readTranscript: (_, offset, max) => transcript.read(offset, max),
      readTranscriptBefore: (_, before, max) => transcript.readBefore(before, max),
      findProcess: () => 4711,
    },
    channels: {
      list: async () => [{ name: "ntfy", kind: "ntfy", project: null, on: ["report"], problem: null }],
      test: async (name, { by }) => ({ ok: true, detail: `${name} accepted the message of ${by}` }),
    },
    listPipelines: async (projects) => ({
      pipelines: [{ pipeline: builtIn("chore"), project: projects[0]?.name ?? null, limits: {} }],
      problems: [],
    }),
    readTaskPipeline: async () => ({ pipeline: builtIn("feature"), limits: { repair: 5 } }),
    readCheckLog: async (_, { name }) => (name === "test" ? { text: "ok", start: 10, size: 12 } : null),
    readPrompt: async () => "Tidy up.",
    readDiff: (task, since) => readDiff({ store, ...DIFF_PORTS }, task, since),
    parseTranscript: async (_, lines) => lines.map(({ text }) => [{ type: "text", text }]),
    onOutput: (_, wake) => transcript.watch(wake),
    agents: async () => [
      {
        name: "mine",
        kind: "command",
        program: "./a",
        version: null,
        oldestVersion: null,
        usable: true,
        problem: null,
      },
    ],
    doctor: async (path) => [{ name: "project", ok: "yes", detail: path, fix: null }],
    keys: async () => [
      { name: "GITLAB_TOKEN", source: "environment", ending: null, addedAt: null, replacesEnvironment: false },
    ],
    checkSetup: async () => [],
    mergeOrder: async () => null,
    pendingTrust: SHOP_FILES.pendingTrust,
    readSettings: async () => SHOP_SETTINGS,
    verifyHook: async () => null,
    stop: (force) => void stops.push(force),
    info: () => ({
      pid: 42,
      version: "1.2.3",
      startedAt: NOW - 1000,
      sandbox: "none",
      timeZone: "Europe/Paris",
      problems: [],
      outages: [],
    }),
    ownerToken: OWNER_TOKEN,
    owner: OWNER,
    clock,
    log,
  };
  const app = createApp(deps, address, options);
  return {
    store,
    deps,
    clock,
    app,
    calls,
    logged,
    stops,
    transcript,
    request: async (method, path, { body, headers } = {}) =>
      await app.request(`http://127.0.0.1:4816${path}`, {
        method,
        headers: {
          host: "127.0.0.1:4816",
          authorization: `Bearer ${OWNER_TOKEN}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    async close() {
      app.close();
      await store.close();
      await rm(dir, { recursive: true });
    },
  };
}

const DIFF_PORTS: Omit<DiffPorts, "store"> = {
  runFiles: { readDiff: async () => "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+b\n" },
  workspaces: {
    diff: async ({ from, to }) => ({
      patch: `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-${from}\n+${to}\n`,
      cut: false,
      stats: { files: [], insertions: 1, deletions: 1 },
    }),
  },
  secrets: { redact: (text) => text },
  projects: {
    parsePipeline: () => {
      throw new Error("there is no pipeline to parse");
    },
  },
};

const SHOP: DetectedProject = { name: "shop", path: "/src/shop", remote: "/src/shop", defaultBranch: "main" };
/** Its files ask for network access. */
const SHOP_FILES: Pick<ProjectFiles, "pendingTrust" | "parsePipeline"> = {
  parsePipeline: () => {
    throw new Error("there is no pipeline to parse");
  },
  pendingTrust: async (_, accepted) => ({
    wanted: '{"network":["x"]}',
    hash: "h1",
    changes: accepted === "{}" ? [{ key: "sandbox.network", accepted: null, wanted: "https://bob:pw@x" }] : [],
  }),
};

/** Commands that need only a store run as in the daemon. */
function realCommands(store: Store) {
  const ports = {
    store,
    clock: createFakeClock(NOW),
    projects: SHOP_FILES,
    digest: hashToken,
    host: { owner: OWNER, detectProject: async () => SHOP },
    sandbox: { refuseDirectories: () => [] },
  };
  return {
    addProject: (source, actor) => addProject(ports, source, actor),
    acceptTrust: (source, hash, actor) => acceptTrust(ports, source, hash, actor),
    removeProject: (name, actor) => removeProject(ports, name, actor),
    addToken: (draft, actor) => addToken(ports, draft, actor),
    removeToken: (name, actor) => removeToken(ports, name, actor),
  } satisfies Partial<Commands>;
}

/** Commands that record their calls and return the task unchanged. */
function recordCommands(store: Store, calls: CommandCall[]): Omit<Commands, keyof ReturnType<typeof realCommands>> {
  const record =
    (command: keyof Commands) =>
    async (id: string, ...given: unknown[]): Promise<Task> => {
      calls.push([command, id, ...given]);
      return (await store.tasks.getTask(id)) ?? makeTask({ id });
    };
  return {
    async submit(draft, actor) {
      calls.push(["submit", draft, actor]);
      const task = makeTask({ description: draft.description, project: draft.project, submittedBy: actor.name });
      return (await saveTask(store, task, draft.key)).task;
    },
    approve: record("approve"),
    approveEdited: record("approveEdited"),
    reject: record("reject"),
    revise: record("revise"),
    answer: record("answer"),
    choose: record("choose"),
    comment: record("comment"),
    merge: record("merge"),
    async apply(id, draft, actor) {
      calls.push(["apply", id, draft, actor]);
      return { applied: true, files: [{ path: "notes.md", change: "created", problem: null }] };
    },
    pause: record("pause"),
    resume: record("resume"),
    cancel: record("cancel"),
    kill: record("kill"),
    followUp: record("followUp"),
    runRole: record("runRole"),
    async removeProjectTasks(name) {
      calls.push(["removeProjectTasks", name]);
      return 0;
    },
    retry: record("retry"),
    async remove(id) {
      calls.push(["remove", id]);
    },
    async runSchedule(schedule, actor) {
      calls.push(["runSchedule", schedule, actor.name]);
      return makeTask({ project: schedule.project });
    },
    async retryAgent(name, actor) {
      calls.push(["retryAgent", name, actor.name]);
      return [makeParked({ agent: name })];
    },
    async addRule(draft, actor) {
      calls.push(["addRule", draft, actor.name]);
      return makeRule({ project: draft.project, text: draft.text, by: actor.name });
    },
    async editRule(id, patch) {
      calls.push(["editRule", id, patch]);
      return makeRule({ id });
    },
    async removeRule(id) {
      calls.push(["removeRule", id]);
      return makeRule({ id });
    },
    async giveReason(proposal, reason, actor) {
      calls.push(["giveReason", proposal, reason, actor.name]);
      return {
        proposal: makeProposal({ reason: { ...reason, by: actor.name, at: NOW } }),
        rule: makeRule(),
        replaced: null,
      };
    },
  };
}

export async function saveTask(store: Store, task: Task, key: string | null = null) {
  const run = task.status === "running" ? makeRun(task) : null;
  return await store.tasks.createTask({
    task,
    run,
    events: [makeEvent({ task: task.id, type: "task.submitted" })],
    notices: [],
    key,
    admission: ADMIT,
  });
}

export function makeTask(given: Partial<Task> = {}): Task {
  return buildTask({
    id: makeId("task", randomBytes(10)),
    title: "Tidy up",
    description: "Tidy up the shop",
    pipelineHash: "p1",
    submittedBy: "test",
    createdAt: NOW - 5000,
    updatedAt: NOW - 5000,
    ...given,
  });
}

export function makeRun(task: Task): NewRun {
  return {
    id: makeId("run", randomBytes(10)),
    task: task.id,
    project: task.project,
    state: task.state,
    step: "agent",
    role: "implement",
    attempt: 1,
    agent: "mine",
    account: null,
    notBefore: null,
    trigger: null,
    createdAt: NOW - 4000,
  };
}

export function makeParked(given: Partial<ParkedAgent> = {}): ParkedAgent {
  const found = { account: "mine", agent: "mine", kind: "login", reason: "The key was rejected." } as const;
  return { ...found, since: NOW - 60_000, tries: 1, until: NOW + 60_000, probe: null, ...given };
}

export function makeEvent(given: Partial<EventDraft> = {}): EventDraft {
  return {
    at: NOW,
    task: null,
    run: null,
    type: "run.note",
    level: "info",
    actor: PERSON,
    summary: "something",
    data: {},
    ...given,
  };
}

/** Ends a run as the engine would: in one commit with its event. */
export async function endRun(store: Store, task: Task, runId: string): Promise<void> {
  const run = await store.tasks.takeRun(runId, NOW - 3000);
  await store.tasks.commit({
    task: { ...task, status: "succeeded", finishedAt: NOW },
    expectedVersion: task.version,
    lease: { run: runId, token: run?.token ?? 0 },
    endRun: {
      id: runId,
      status: "succeeded",
      outcome: "implemented",
      payload: { summary: "done" },
      exit: { code: 0, signal: null },
      endedBy: "exit",
      error: null,
      commit: "c1",
      costUsd: 0.25,
      costBasis: "reported",
      tokens: { ...NO_TOKENS, input: 10 },
      pausedMs: 0,
      finishedAt: NOW - 1000,
    },
    endOthers: null,
    newRun: null,
    events: [makeEvent({ task: task.id, run: runId, type: "run.ended" })],
    checks: [
      { run: runId, name: "test", severity: "error", status: "passed", exitCode: 0, durationMs: 12, tail: "ok" },
    ],
    artifacts: [
      { type: "commit", label: "c1", url: null, data: {} },
      { type: "change_request", label: "Say more", url: "https://forge.example/7", data: { number: 7 } },
    ],
    notices: [],
    admission: ADMIT,
  });
}
