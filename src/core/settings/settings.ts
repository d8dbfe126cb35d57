import type { Category, Weekday } from "../nightly/category.ts";
import type { OwnSettings, SettingsKind, SettingsKinds } from "./kinds.ts";
import type { McpServerSettings } from "./mcp.ts";
import type { StuckLimits } from "../task/detect-stuck.ts";
import type { Role } from "../task/role.ts";
import type { Severity } from "../task/run.ts";

/** A project's settings with every layer except pipeline and task. Created by config/, used by the engine. */
export interface Settings {
  readonly project: string;
  readonly defaultBranch: string | null;
  readonly timeZone: string;
  readonly forge: ForgeSettings | null;
  readonly agent: string;
  readonly fallbackAgent: string | null;
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly roles: Readonly<Record<Role, RoleSettings>>;
  readonly checks: readonly CheckSettings[];
  /** The check `no-secrets`, enabled by default. */
  readonly scanSecrets: boolean;
  readonly failOnWarning: boolean;
  readonly repairAttempts: number;
  readonly workspace: WorkspaceSettings;
  readonly sandbox: SandboxSettings;
  readonly secrets: Readonly<Record<string, { readonly roles: readonly Role[] }>>;
  /** MCP servers by name. */
  readonly mcp: Readonly<Record<string, McpServerSettings>>;
  readonly budget: BudgetSettings;
  readonly commonBudget: CommonBudget;
  readonly limits: LimitSettings;
  readonly improve: ImproveSettings;
  readonly schedules: readonly ScheduleSettings[];
  readonly notify: NotifySettings;
  readonly gates: { readonly plan: Gate; readonly merge: Gate; readonly proof: ProofGate };
  /** What `--auto-approve` may skip a person for. Null: every plan without problems. */
  readonly autoApprove: AutoApprove | null;
  readonly commitTrailer: string;
  /** `.nightshift/instructions.md`, part of every prompt; empty if there is none. */
  readonly instructions: string;
}

/** Always of the user's own file, so neither a repository nor an agent can widen it. */
export interface AutoApprove {
  /** Plans that write nothing. */
  readonly readOnly: boolean;
  /** Plans that write only here. Absolute. */
  readonly directories: readonly string[];
  readonly maxUsd: number | null;
}

export type Gate = "person" | "auto";

/** `require`: a fix without proof waits for a person. `show`: the result is only shown. `off`: nothing is proven. */
export const PROOF_GATES = ["require", "show", "off"] as const;
export type ProofGate = (typeof PROOF_GATES)[number];

/** Whose comments on a change request start work: those that request changes, or all. Only members of the project count. */
export const COMMENT_REACTIONS = ["changes_requested", "all", "off"] as const;

/** What a task that waits for its merge does by itself. */
export interface ReactSettings {
  /** Repair the change if CI failed. */
  readonly ci: boolean;
  readonly comments: (typeof COMMENT_REACTIONS)[number];
  /** How long people must have paused before their comments start work. */
  readonly quietMs: number;
}

export const OWN_REVIEWS = ["post", "off"] as const;

export const DEFAULT_REACT: ReactSettings = { ci: true, comments: "changes_requested", quietMs: 60_000 };

export interface ForgeSettings {
  readonly kind: string;
  readonly url: string | null;
  readonly project: string | null;
  readonly tokenEnv: string | null;
  /** Whether the user's own login at the forge may be used if the token variable is not set. */
  readonly usesOwnLogin: boolean;
  /** Null: webhooks are not accepted. */
  readonly webhookSecretEnv: string | null;
  readonly reviewer: string | null;
  readonly assignee: string | null;
  /** Added to the pipeline's labels. */
  readonly labels: readonly string[];
  readonly draft: boolean;
  readonly react: ReactSettings;
  /** Whether reviews of the task's own change requests are posted on them. */
  readonly reviews: (typeof OWN_REVIEWS)[number];
  /** The keys that only this kind of forge has. */
  readonly options: OwnSettings;
}

export interface AgentSettings {
  /** Name of the adapter. For built-in agents, the same as the agent's name. */
  readonly kind: string;
  readonly model: string | null;
  /** The keys that only this kind of agent has. */
  readonly options: OwnSettings;
}

/** Null: the adapter's default applies. */
export interface RoleSettings {
  readonly agent: string | null;
  readonly model: string | null;
  readonly timeoutMs: number;
  readonly idleMs: number;
  readonly stuck: StuckLimits;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly contextTokens: number;
  readonly tools: readonly string[];
  readonly commands: readonly string[] | null;
  /** Absolute path of the file that replaces the role's prompt, if configured. ProjectFiles.prompt reads it. */
  readonly prompt: string | null;
  readonly append: string;
}

export interface CheckSettings {
  readonly name: string;
  readonly command: string;
  /** Runs before `command`, and instead of it for nightly changes. `{{files}}` is the list of changed files that exist. */
  readonly related: string | null;
  readonly severity: Severity;
  readonly roles: readonly Role[];
  readonly timeoutMs: number;
}

export interface WorkspaceSettings {
  readonly setup: string | null;
  readonly setupTimeoutMs: number;
  readonly branch: string;
  readonly rebase: boolean;
  readonly copy: readonly string[];
  /** Files and folders of the checkout that are linked into workspaces, read-only. */
  readonly link: readonly string[];
  readonly ports: number;
}

export type SandboxMode = "enforce" | "external" | "none";

export interface SandboxSettings {
  readonly mode: SandboxMode;
  readonly write: readonly string[];
  readonly read: readonly string[];
  readonly network: readonly string[];
  /** Exact `host:port` that may have a private address, from the user's file only. `network` must allow them as well. */
  readonly privateHosts: readonly string[];
  /** Null: not configured, so all commands of the system. */
  readonly commands: readonly string[] | null;
}

export interface BudgetSettings {
  readonly runUsd: number | null;
  readonly taskUsd: number | null;
  readonly nightUsd: number | null;
  readonly monthUsd: number | null;
  readonly runTokens: number | null;
}

/** The user's limits for all projects together. */
export interface CommonBudget {
  readonly nightUsd: number | null;
  readonly monthUsd: number | null;
  /** Determines when a night and a month begin. */
  readonly timeZone: string;
}

export interface ImproveSettings {
  /** Five cron fields in `timeZone`; null: not scheduled. */
  readonly schedule: string | null;
  readonly categories: Readonly<Record<Weekday, readonly Category[]>>;
  /** Added and removed lines of one change. */
  readonly maxDiffLines: number;
  /** Null: the default, which depends on the length of the history (`recentCommitsToAvoid`). */
  readonly avoidRecentCommits: number | null;
  readonly publish: "engine" | "agent";
  /** A scheduled run starts with a random delay up to this value. */
  readonly jitterMs: number;
  readonly variables: Readonly<Record<string, string>>;
}

export interface ScheduleSettings {
  readonly name: string;
  readonly cron: string;
  readonly pipeline: string;
  readonly title: string;
  readonly description: string;
  readonly autoApprove: boolean;
}

/** Kinds of notices that channels can subscribe to; see NoticeKind in ports/store.ts. */
export const NOTIFIED_KINDS = ["finished", "failed", "waiting", "report"] as const;
export type NotifiedKind = (typeof NOTIFIED_KINDS)[number];

export interface NotifySettings {
  /** The configured channels by kind of notifier, as written in the files. */
  readonly channels: Readonly<Record<string, OwnSettings>>;
  readonly heartbeat: { readonly url: string } | null;
}

export interface LimitSettings {
  readonly concurrentRuns: number;
  readonly openChangeRequests: number;
  readonly taskTimeoutMs: number;
}

export type SecretSources = Pick<Settings, "secrets" | "mcp" | "agents" | "forge" | "notify">;

/** The environment variables that hold secrets according to the settings. */
export function listSecretNames(
  kinds: SettingsKinds,
  { secrets, mcp, agents, forge, notify }: SecretSources,
): string[] {
  const names: unknown[] = [
    ...Object.keys(secrets),
    ...Object.values(mcp).flatMap((server) => server.secrets),
    ...Object.values(agents).flatMap(({ kind, options }) => namesIn(kinds.agents, kind, options)),
    ...(forge === null ? [] : [forge.tokenEnv, forge.webhookSecretEnv]),
    ...(forge === null ? [] : namesIn(kinds.forges, forge.kind, forge.options)),
    ...Object.entries(notify.channels).flatMap(([kind, settings]) => namesIn(kinds.notifiers, kind, settings)),
  ];
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

function namesIn(kinds: readonly SettingsKind[], wanted: string, settings: OwnSettings): unknown[] {
  const found = kinds.find(({ kind }) => kind === wanted);
  return (found?.secretKeys ?? []).map((key) => settings[key]);
}
