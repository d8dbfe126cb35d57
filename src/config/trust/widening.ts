import { parseDuration } from "../../core/schedule/duration.ts";
import { ROLES } from "../../core/task/role.ts";
import { DEFAULT_CONTEXT_TOKENS, DEFAULT_IDLE_MS, ROLE_DEFAULTS } from "../../core/task/role-defaults.ts";
import { DEFAULT_DIFF_LINES, DEFAULTS } from "../resolve/resolve-settings.ts";
import { DEFAULT_STUCK_LIMITS } from "../../core/task/detect-stuck.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";

/** Everything in a project's files that could request more permissions or spending: key → value, file path → SHA-256. */
export type WideningSet = Readonly<Record<string, unknown>>;

/** Which changes of a key request more permissions and therefore need a person. */
export type Guard =
  | "free" // none
  | "amount" // a higher amount
  | "list" // new items
  | "grant" // adding the key
  | "gate"; // any change, including removal

// Keys that are not listed are gates, so that a new key is protected by default.
const GUARDS: Readonly<Record<string, Guard>> = {
  project: "free",
  time_zone: "free",
  "improve.categories": "free",
  "improve.jitter": "free",
  "workspace.keep_uncommitted": "free",
  "budget.*": "amount",
  "limits.*": "amount",
  repair_attempts: "amount",
  "workspace.ports": "amount",
  "workspace.setup_timeout": "amount",
  "improve.max_diff_lines": "amount",
  "roles.*.timeout": "amount",
  "roles.*.idle_timeout": "amount",
  "roles.*.repeat_limit": "amount",
  "roles.*.edit_timeout": "amount",
  "roles.*.edit_tokens": "amount",
  "roles.*.max_turns": "amount",
  "roles.*.max_budget_usd": "amount",
  "roles.*.context_tokens": "amount",
  "sandbox.*": "list",
  // Without this list, all programs of the system are allowed. So removing it grants more permissions too.
  "sandbox.commands": "gate",
  "workspace.copy": "list",
  "workspace.link": "list",
  "roles.*.tools": "list",
  "roles.*.commands": "list",
  "secrets.*.roles": "list",
  schedules: "list",
  "agents.*": "grant",
  "mcp.*": "grant",
  "notify.*": "grant",
  "gates.*": "grant",
  "gates.proof": "gate",
  "improve.schedule": "grant",
  "improve.publish": "grant",
  "improve.variables": "grant",
  commit_trailer: "grant",
};

/** Sections whose parts are accepted separately, with the depth of a part's key. */
const DEPTHS: Readonly<Record<string, number>> = {
  agents: 2,
  checks: 2,
  mcp: 2,
  notify: 2,
  workspace: 2,
  sandbox: 2,
  budget: 2,
  limits: 2,
  gates: 2,
  improve: 2,
  roles: 3,
  secrets: 3,
};

/** How far a key is trusted. A key below a part that is accepted as a whole is trusted like that part. */
export function guardOf(path: readonly string[]): Guard {
  const [section = "", ...rest] = path.slice(0, DEPTHS[path[0] ?? ""] ?? 1);
  const exact = GUARDS[[section, ...rest].join(".")];
  const anyName = rest.length === 0 ? undefined : GUARDS[[section, "*", ...rest.slice(1)].join(".")];
  return exact ?? anyName ?? "gate";
}

/** Returns the part of the set that comes from nightshift.yaml. */
export function listWidening(written: ProjectWritten): Record<string, unknown> {
  const parts = Object.entries(written).flatMap(([section, value]) => listParts([section], value));
  return Object.fromEntries(
    parts.filter(([path]) => guardOf(path) !== "free").map(([path, value]) => [path.join("."), value]),
  );
}

function listParts(path: readonly string[], value: unknown): [readonly string[], unknown][] {
  const depth = DEPTHS[path[0] ?? ""] ?? 1;
  if (path.length >= depth || typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => listParts([...path, name], inner));
}

/** Converts a key of the set to its path. Only the last part of a key may contain dots. */
export function toPath(key: string): string[] {
  const [section = "", ...rest] = key.split(".");
  const depth = DEPTHS[section] ?? 1;
  if (depth === 1) return [key];
  if (depth === 2) return [section, rest.join(".")];
  return [section, ...rest];
}

/** The value of a key without the project's file: the user's setting or the built-in default. */
export function baseOf(path: readonly string[], user: UserWritten): unknown {
  return valueAt(user, path) ?? defaultOf(path);
}

function defaultOf(path: readonly string[]): unknown {
  const [section, name, key] = path;
  if (section === "roles") {
    const role = ROLES.find((each) => each === name);
    if (role === undefined) return undefined;
    const { timeoutMs, maxTurns, tools } = ROLE_DEFAULTS[role];
    const defaults: Record<string, unknown> = {
      timeout: timeoutMs,
      idle_timeout: DEFAULT_IDLE_MS,
      repeat_limit: DEFAULT_STUCK_LIMITS.repeats,
      edit_timeout: DEFAULT_STUCK_LIMITS.editMs,
      edit_tokens: DEFAULT_STUCK_LIMITS.editTokens,
      max_turns: maxTurns,
      context_tokens: DEFAULT_CONTEXT_TOKENS,
      tools,
    };
    return defaults[key ?? ""];
  }
  const defaults: Record<string, unknown> = {
    repair_attempts: DEFAULTS.repairAttempts,
    "gates.proof": DEFAULTS.proof,
    "limits.concurrent_runs": DEFAULTS.concurrentRuns,
    "limits.open_change_requests": DEFAULTS.openChangeRequests,
    "limits.task_timeout": DEFAULTS.taskTimeout,
    "workspace.ports": DEFAULTS.ports,
    "workspace.setup_timeout": DEFAULTS.setupTimeout,
    "improve.max_diff_lines": DEFAULT_DIFF_LINES,
  };
  return defaults[path.join(".")];
}

/** Converts an amount or duration to a number. Anything else is unlimited. */
export function toAmount(value: unknown): number {
  if (typeof value === "number") return value;
  return (typeof value === "string" ? parseDuration(value) : null) ?? Infinity;
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  let inner: unknown = value;
  for (const part of path) {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, part)) return undefined;
    inner = (inner as Record<string, unknown>)[part]; // safe: checked with hasOwn above
  }
  return inner;
}

/** Serializes with sorted keys, so that the same set always gives the same text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
