import type { Outcome, OutcomeName, PayloadOf } from "../core/outcomes/outcome.ts";
import type { Proposal } from "../core/nightly/proposal.ts";
import type { ProjectRule } from "../core/nightly/rule.ts";
import type { Task } from "../core/task/task.ts";
import type { TaskDraft } from "../core/task/task-draft.ts";

/** A task that was just submitted. Always the same, including its id. */
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
    published: null,
    plan: null,
    planHash: null,
    documents: [],
    subtasks: [],
    approvedStates: [],
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

interface OutcomeOverrides {
  readonly summary?: string;
  /** A part of it is enough where the rest plays no role. */
  readonly payload?: object;
  readonly retryAt?: number | null;
}

/** The parts of a payload that `advance` cannot do without. */
const PAYLOADS: { readonly [Name in OutcomeName]?: Partial<PayloadOf<Name>> } = {
  needs_info: { questions: [] },
  options_proposed: { options: [] },
  described: { title: "Describe it" },
  investigation_complete: { subtasks: [] },
  approved: { comments: [] },
  changes_requested: { comments: [] },
  chosen: { option: "" },
};

export function makeOutcome(name: OutcomeName, overrides: OutcomeOverrides = {}): Outcome {
  const payload = { ...PAYLOADS[name], ...overrides.payload };
  // A test decides which part of a payload it needs.
  return { name, summary: name.replaceAll("_", " "), retryAt: null, ...overrides, payload } as Outcome;
}

/** A proposal with an open change request. */
export function makeProposal(overrides: Partial<Proposal> = {}): Proposal {
  return {
    id: "prop_000000000001",
    project: "shop",
    task: "task_0000000001",
    category: "docs",
    title: "Fix the typo",
    files: ["README.md"],
    baseCommit: "a".repeat(40),
    intent: "i",
    patch: null,
    status: "published",
    url: "https://forge.example/1",
    number: 1,
    at: 1_000,
    updatedAt: 1_000,
    reason: null,
    askedAt: null,
    ...overrides,
  };
}

export function makeRule(overrides: Partial<ProjectRule> = {}): ProjectRule {
  return {
    id: "rule_0000000001",
    project: "shop",
    text: "Leave src/legacy alone.",
    proposal: null,
    url: null,
    by: "ada",
    at: 1_000,
    updatedAt: 1_000,
    expiresAt: null,
    ...overrides,
  };
}

/** A chore without any options. */
export const SAMPLE_DRAFT: TaskDraft = {
  project: "shop",
  pipeline: "chore",
  title: null,
  description: "Greet the world",
  priority: "normal",
  size: null,
  complexity: null,
  tags: [],
  agent: null,
  model: null,
  timeoutMs: null,
  budgetUsd: null,
  autoApprove: false,
  design: false,
  withoutChecks: false,
  improve: null,
  key: null,
};
