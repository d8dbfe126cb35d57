import type { Outcome, OutcomeName } from "../core/outcome.ts";
import { DEFAULT_IDLE_MS, ROLE_DEFAULTS } from "../core/role-defaults.ts";
import { ROLES, type Role } from "../core/role.ts";
import { NO_TOKENS, type Run } from "../core/run.ts";
import type { RoleSettings, Settings } from "../core/settings.ts";
import type { Task } from "../core/task.ts";

/** A task as it was just submitted. Two of them are equal, ids and all. */
export function makeTask(overrides: Partial<Task> = {}): Task {
  return {
    id: "task_0000000001",
    version: 1,
    title: "Repair the build",
    description: "It fails since yesterday.",
    project: "shop",
    pipeline: "chore",
    pipelineHash: "hash-of-chore",
    state: "implementing",
    status: "queued",
    waitingFor: null,
    queuedFor: null,
    priority: "normal",
    size: null,
    complexity: null,
    tags: [],
    options: { agent: null, model: null, timeoutMs: null, budgetUsd: null, autoApprove: false, design: false },
    counters: {},
    items: null,
    branch: null,
    baseCommit: null,
    headCommit: null,
    plan: null,
    planHash: null,
    context: [],
    conversation: [],
    trigger: null,
    order: null,
    outcome: null,
    reason: null,
    submittedBy: "ada",
    createdAt: 1_000,
    updatedAt: 1_000,
    finishedAt: null,
    ...overrides,
  };
}

/** A run whose turn has not come. */
export function makeRun(overrides: Partial<Run> = {}): Run {
  return {
    id: "run_0000000001",
    task: "task_0000000001",
    project: "shop",
    state: "implementing",
    step: "agent",
    role: "implement",
    attempt: 1,
    status: "queued",
    token: 0,
    notBefore: null,
    trigger: null,
    agent: null,
    agentVersion: null,
    model: null,
    sandbox: null,
    sessionId: null,
    outcome: null,
    payload: null,
    exit: null,
    endedBy: null,
    error: null,
    commit: null,
    costUsd: null,
    costBasis: "unknown",
    tokens: NO_TOKENS,
    createdAt: 1_000,
    startedAt: null,
    finishedAt: null,
    pausedMs: 0,
    ...overrides,
  };
}

/** Settings of a project that says nothing, with the scripted agent and no sandbox. */
export function makeSettings(overrides: Partial<Settings> = {}): Settings {
  return {
    project: "shop",
    defaultBranch: "main",
    timeZone: "UTC",
    forge: null,
    agent: "scripted",
    fallbackAgent: null,
    agents: { scripted: { kind: "scripted", model: null, command: [], prompt: "stdin", script: null } },
    roles: rolesByDefault(),
    checks: [],
    failOnWarning: false,
    repairAttempts: 3,
    workspace: {
      setup: null,
      setupTimeoutMs: 600_000,
      branch: "agent/{{slug}}-{{id}}",
      rebase: false,
      keepUncommitted: false,
      copy: [],
      ports: 10,
    },
    sandbox: { mode: "none", write: [], read: [], network: [], commands: [] },
    secrets: {},
    budget: { runUsd: null, taskUsd: null, nightUsd: null, monthUsd: null, runTokens: null },
    limits: { concurrentRuns: 2, openChangeRequests: 3, taskTimeoutMs: 4 * 3_600_000 },
    gates: { plan: "person", merge: "person" },
    commitTrailer: "",
    instructions: "",
    ...overrides,
  };
}

export function makeOutcome(name: OutcomeName, overrides: Partial<Omit<Outcome, "name">> = {}): Outcome {
  return { name, summary: name.replaceAll("_", " "), payload: {}, retryAt: null, ...overrides };
}

function rolesByDefault(): Settings["roles"] {
  // One entry for each of ROLES; Object.fromEntries only knows strings.
  return Object.fromEntries(ROLES.map((role) => [role, roleByDefault(role)])) as Record<Role, RoleSettings>;
}

function roleByDefault(role: Role): RoleSettings {
  const { timeoutMs, tools } = ROLE_DEFAULTS[role];
  return {
    agent: null,
    model: null,
    timeoutMs,
    idleMs: DEFAULT_IDLE_MS,
    maxTurns: null,
    maxBudgetUsd: null,
    tools,
    commands: null,
    prompt: null,
    append: "",
  };
}
