import type { Role } from "./role.ts";

/** Built-in settings of a role. */
export interface RoleDefaults {
  /** For `claude-code` only. Other agents have other models and use their own default. */
  readonly claudeModel: string;
  readonly maxTurns: number;
  readonly timeoutMs: number;
  readonly tools: readonly string[];
}

export const DEFAULT_IDLE_MS = 10 * 60_000;
export const DEFAULT_CONTEXT_TOKENS = 100_000;

const MINUTE = 60_000;
const OPUS = "claude-opus-4-6";
const SONNET = "claude-sonnet-4-6";
const READ = ["Read", "Glob", "Grep"];
const GIT_LOG = "Bash(git log:*)";
const GIT_SHOW = "Bash(git show:*)";
const GIT_DIFF = "Bash(git diff:*)";

const CHANGE: RoleDefaults = {
  claudeModel: OPUS,
  maxTurns: 200,
  timeoutMs: 30 * MINUTE,
  tools: ["Bash", "Read", "Edit", "Write", "Glob", "Grep"],
};
const PLAN: RoleDefaults = { claudeModel: OPUS, maxTurns: 100, timeoutMs: 5 * MINUTE, tools: READ };

function changeRequestTools(requests: "glab mr" | "gh pr"): readonly string[] {
  return ["create", "list", "view"].map((verb) => `Bash(${requests} ${verb}:*)`);
}

/** Roles that give a verdict must not run code from the workspace: code that runs next to an agent could forge its report. */
export const ROLE_DEFAULTS: Readonly<Record<Role, RoleDefaults>> = {
  analyze: { claudeModel: OPUS, maxTurns: 100, timeoutMs: 30 * MINUTE, tools: [...READ, GIT_LOG, GIT_SHOW, GIT_DIFF] },
  implement: CHANGE,
  request_changes: CHANGE,
  verify: { claudeModel: SONNET, maxTurns: 50, timeoutMs: 15 * MINUTE, tools: READ },
  describe: { claudeModel: SONNET, maxTurns: 30, timeoutMs: 5 * MINUTE, tools: [...READ, GIT_LOG] },
  plan: PLAN,
  plan_revision: PLAN,
  investigate: { ...PLAN, tools: ["Bash", ...READ] },
  design: PLAN,
  review: { claudeModel: SONNET, maxTurns: 50, timeoutMs: 10 * MINUTE, tools: [...READ, GIT_DIFF, GIT_LOG] },
  rank: { claudeModel: SONNET, maxTurns: 50, timeoutMs: 10 * MINUTE, tools: [...READ, GIT_LOG] },
  // This role has the forge's token. It may push and open a change request, but not close, approve or merge one.
  publish: {
    claudeModel: SONNET,
    maxTurns: 30,
    timeoutMs: 10 * MINUTE,
    tools: ["Read", GIT_LOG, "Bash(git push:*)", ...changeRequestTools("glab mr"), ...changeRequestTools("gh pr")],
  },
  // The approved plan lists the tools.
  execute: { claudeModel: SONNET, maxTurns: 100, timeoutMs: 15 * MINUTE, tools: [] },
};
