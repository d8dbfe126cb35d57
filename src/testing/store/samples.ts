import { SYSTEM, type EventDraft } from "../../core/task/event.ts";
import { NO_TOKENS, type CheckResult } from "../../core/task/run.ts";
import type { Artifact, Task } from "../../core/task/task.ts";
import type { Log } from "../../ports/log.ts";
import type {
  Admission,
  CommitParams,
  CreateTaskParams,
  NewNotice,
  NewRun,
  Project,
  RunEnd,
  Store,
} from "../../ports/store.ts";

export const SILENT_LOG: Log = { info() {}, warn() {}, error() {} };

/** No limits, for tests that are not about admission. */
export const OPEN: Admission = { at: 1_000_000, total: 1000, projects: {}, perProject: 1000 };
/** Admits nothing. */
export const SHUT: Admission = { ...OPEN, total: 0 };

let count = 0;

/** An id that sorts after the earlier ones. */
export function nextId(prefix: "task" | "run"): string {
  return `${prefix}_${String(++count).padStart(10, "0")}`;
}

export function sampleTask(over: Partial<Task> = {}): Task {
  return {
    id: nextId("task"),
    version: 1,
    title: "Repair the build",
    description: "It says “✗ 3 failed”.\n\u0000 and an \u001b[31mescape",
    project: "shop",
    pipeline: "chore",
    pipelineHash: "abc",
    state: "implement",
    status: "queued",
    waitingFor: null,
    queuedFor: { kind: "capacity", until: null },
    priority: "normal",
    size: "s",
    complexity: null,
    tags: ["build"],
    options: { agent: null, model: null, timeoutMs: null, budgetUsd: 2.5, autoApprove: false, design: false },
    counters: { "checks:checks_failed": 2 },
    items: null,
    branch: null,
    baseCommit: null,
    headCommit: null,
    published: { head: "c1", base: "main", people: null, seen: { comments: ["1"], ci: "c1", conflict: null } },
    plan: null,
    planHash: null,
    approvedStates: [{ state: "implementing", planHash: "h" }],
    documents: [{ kind: "plan", version: 1, hash: "h", run: "run_x", at: 4 }],
    subtasks: [{ title: "Step one", done: true }],
    context: [{ kind: "fix_summary", source: "agent", summary: "done", data: {}, run: "run_x", at: 5 }],
    conversation: [],
    trigger: null,
    order: null,
    outcome: null,
    reason: null,
    submittedBy: "ada",
    createdAt: 1000,
    updatedAt: 1000,
    finishedAt: null,
    ...over,
  };
}

export function sampleRun(task: Pick<Task, "id" | "project">, over: Partial<NewRun> = {}): NewRun {
  return {
    id: nextId("run"),
    task: task.id,
    project: task.project,
    state: "implement",
    step: "agent",
    role: "implement",
    attempt: 1,
    agent: "scripted",
    account: null,
    notBefore: null,
    trigger: { kind: "errors", text: "lint failed", run: null },
    createdAt: 1000,
    ...over,
  };
}

export function sampleEvent(over: Partial<EventDraft> = {}): EventDraft {
  return {
    at: 1000,
    task: null,
    run: null,
    type: "run.note",
    level: "info",
    actor: SYSTEM,
    summary: "noted",
    data: { n: 1 },
    ...over,
  };
}

export function sampleEnd(id: string, over: Partial<RunEnd> = {}): RunEnd {
  return {
    id,
    status: "succeeded",
    outcome: "implemented",
    payload: { summary: "did it" },
    exit: { code: 0, signal: null },
    endedBy: "exit",
    error: null,
    commit: "c0ffee",
    costUsd: 0.25,
    costBasis: "reported",
    tokens: { ...NO_TOKENS, input: 10, output: 20 },
    pausedMs: 7,
    finishedAt: 2000,
    ...over,
  };
}

export function sampleCheck(run: string, over: Partial<CheckResult> = {}): CheckResult {
  return {
    run,
    name: "test",
    severity: "error",
    status: "failed",
    exitCode: 1,
    durationMs: 12,
    tail: "1 failed",
    ...over,
  };
}

export function sampleArtifact(over: Partial<Artifact> = {}): Artifact {
  return { type: "branch", label: "branch", url: null, data: { name: "nightshift/x" }, ...over };
}

export function sampleNotice(over: Partial<NewNotice> = {}): NewNotice {
  return {
    channel: "terminal",
    kind: "finished",
    project: "shop",
    task: "task_x",
    title: "Done",
    text: "All is well.",
    data: {
      isNight: true,
      pipeline: "improve",
      status: "succeeded",
      state: "published",
      outcome: "published",
      category: "docs (fallback from tests)",
      reason: "The README says how to start it.",
      url: "https://git.example.com/shop/-/merge_requests/7",
      costUsd: 0.42,
      durationMs: 720_000,
      waitingFor: null,
      next: [],
    },
    at: 1000,
    ...over,
  };
}

export function sampleProject(over: Partial<Project> = {}): Project {
  return {
    name: "shop",
    path: "/home/ada/shop",
    remote: "/home/ada/shop",
    defaultBranch: "main",
    accepted: "{}",
    acceptedBy: "ada",
    acceptedAt: 1000,
    ...over,
  };
}

export function creating(task: Task, over: Partial<CreateTaskParams> = {}): CreateTaskParams {
  return { task, run: null, events: [], notices: [], key: null, admission: OPEN, ...over };
}

/** A commit that changes only the version. */
export function committing(task: Task, over: Partial<CommitParams> = {}): CommitParams {
  return {
    task,
    expectedVersion: task.version,
    lease: null,
    endRun: null,
    endOthers: null,
    newRun: null,
    events: [],
    checks: [],
    artifacts: [],
    notices: [],
    admission: OPEN,
    ...over,
  };
}

/** Creates a task whose only run was admitted and taken. */
export async function startTask(store: Store, over: Partial<Task> = {}) {
  const task = sampleTask(over);
  const run = sampleRun(task);
  await store.tasks.createTask(creating(task, { run }));
  const taken = await store.tasks.takeRun(run.id, 1500);
  if (taken === null) throw new Error("expected the run to be admitted");
  return { task, run: taken, lease: { run: taken.id, token: taken.token } };
}

/** Creates a task whose only run is queued. */
export async function queueTask(store: Store, over: Partial<Task> = {}, runOver: Partial<NewRun> = {}) {
  const task = sampleTask(over);
  const run = sampleRun(task, runOver);
  await store.tasks.createTask(creating(task, { run, admission: SHUT }));
  return { task, run };
}
