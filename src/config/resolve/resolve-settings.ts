import { ROLES, type Role } from "../../core/task/role.ts";
import { DEFAULT_CONTEXT_TOKENS, DEFAULT_IDLE_MS, ROLE_DEFAULTS } from "../../core/task/role-defaults.ts";
import { DEFAULT_STUCK_LIMITS } from "../../core/task/detect-stuck.ts";
import type {
  AgentSettings,
  CheckSettings,
  ForgeSettings,
  RoleSettings,
  Settings,
  ImproveSettings,
  NotifySettings,
  ScheduleSettings,
} from "../../core/settings/settings.ts";
import { DEFAULT_REACT } from "../../core/settings/settings.ts";
import type { McpServerSettings } from "../../core/settings/mcp.ts";
import { findAgentKind } from "../parse/rules.ts";
import {
  pickOwn,
  type AgentKind,
  type ForgeKind,
  type SettingsKinds,
  type NotifierKind,
} from "../../core/settings/kinds.ts";
import type { WrittenForge, WrittenNotify, ProjectWritten, UserWritten } from "../schema/schema.ts";
import { parseDuration } from "../../core/schedule/duration.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { z } from "zod";
import type { PriceTable } from "../../core/money/prices.ts";
import { prices } from "../schema/schema-sections.ts";
import { WEEKDAYS, type Category, type Weekday } from "../../core/nightly/category.ts";

export const DEFAULTS = {
  agent: "claude-code",
  branch: "agent/{{slug}}-{{id}}",
  checkTimeout: "2m",
  concurrentRuns: 2,
  openChangeRequests: 3,
  ports: 10,
  proof: "show",
  repairAttempts: 3,
  setupTimeout: "10m",
  taskTimeout: "4h",
} as const;

export interface Layers {
  readonly project: string;
  /** The machine's time zone, used if no file names one. */
  readonly timeZone: string;
  readonly user: UserWritten;
  readonly own: ProjectWritten;
  readonly instructions: string;
  readonly kinds: SettingsKinds;
}

/** Built-in defaults < config.yaml < nightshift.yaml. Amounts in config.yaml are also the maximum for a project. */
export function resolveSettings({ project, timeZone, user, own, instructions, kinds }: Layers): Settings {
  return {
    project,
    defaultBranch: own.default_branch ?? user.default_branch ?? null,
    timeZone: own.time_zone ?? user.time_zone ?? timeZone,
    forge: resolveForge({ ...user.forge, ...own.forge }, user.use_own_login ?? true, kinds.forges),
    agent: own.agent ?? user.agent ?? DEFAULTS.agent,
    fallbackAgent: own.fallback_agent ?? user.fallback_agent ?? null,
    agents: resolveAgents(user, own, kinds.agents),
    roles: resolveRoles(user, own),
    checks: resolveChecks({ ...user.checks, ...own.checks }),
    scanSecrets: { ...user.checks, ...own.checks }["no-secrets"]?.enabled ?? true,
    failOnWarning: own.fail_on_warning ?? user.fail_on_warning ?? false,
    repairAttempts: capAmount(user.repair_attempts, own.repair_attempts) ?? DEFAULTS.repairAttempts,
    workspace: resolveWorkspace(user, own),
    sandbox: {
      mode: user.sandbox?.mode ?? "enforce",
      write: own.sandbox?.write ?? user.sandbox?.write ?? [],
      read: own.sandbox?.read ?? user.sandbox?.read ?? [],
      network: own.sandbox?.network ?? user.sandbox?.network ?? [],
      privateHosts: user.sandbox?.private_hosts ?? [],
      commands: own.sandbox?.commands ?? user.sandbox?.commands ?? null,
    },
    secrets: { ...user.secrets, ...own.secrets },
    mcp: resolveMcp({ ...user.mcp, ...own.mcp }),
    budget: {
      runUsd: capAmount(user.budget?.run_usd, own.budget?.run_usd),
      taskUsd: capAmount(user.budget?.task_usd, own.budget?.task_usd),
      nightUsd: capAmount(user.budget?.night_usd, own.budget?.night_usd),
      monthUsd: capAmount(user.budget?.month_usd, own.budget?.month_usd),
      runTokens: capAmount(user.budget?.run_tokens, own.budget?.run_tokens),
    },
    commonBudget: {
      nightUsd: user.budget?.night_usd ?? null,
      monthUsd: user.budget?.month_usd ?? null,
      timeZone: user.time_zone ?? timeZone,
    },
    limits: {
      concurrentRuns: capAmount(user.limits?.concurrent_runs, own.limits?.concurrent_runs) ?? DEFAULTS.concurrentRuns,
      openChangeRequests:
        capAmount(user.limits?.open_change_requests, own.limits?.open_change_requests) ?? DEFAULTS.openChangeRequests,
      taskTimeoutMs:
        capAmount(toMs(user.limits?.task_timeout), toMs(own.limits?.task_timeout)) ?? requireMs(DEFAULTS.taskTimeout),
    },
    improve: resolveImprove(user.improve ?? {}, own.improve ?? {}),
    schedules: resolveSchedules([...(user.schedules ?? []), ...(own.schedules ?? [])]),
    notify: resolveNotify({ ...user.notify, ...own.notify }, kinds.notifiers),
    gates: {
      plan: own.gates?.plan ?? user.gates?.plan ?? "person",
      merge: own.gates?.merge ?? user.gates?.merge ?? "person",
      proof: own.gates?.proof ?? user.gates?.proof ?? DEFAULTS.proof,
    },
    autoApprove: resolveAutoApprove(user.auto_approve),
    commitTrailer: own.commit_trailer ?? user.commit_trailer ?? "",
    instructions,
  };
}

function resolveAutoApprove(written: UserWritten["auto_approve"]): Settings["autoApprove"] {
  if (written === undefined) return null;
  return {
    readOnly: written.read_only ?? true,
    directories: written.directories ?? [],
    maxUsd: written.max_usd ?? null,
  };
}

function resolveMcp(written: NonNullable<UserWritten["mcp"]>): Settings["mcp"] {
  const servers = Object.entries(written).map(([name, server]): [string, McpServerSettings] => [
    name,
    {
      command: server.command,
      run: server.run ?? "inside",
      environment: server.environment ?? {},
      secrets: server.secrets ?? [],
      tools: server.tools ?? null,
    },
  ]);
  return Object.fromEntries(servers);
}

function resolveForge(
  written: Partial<WrittenForge>,
  usesOwnLogin: boolean,
  forges: readonly ForgeKind[],
): ForgeSettings | null {
  const found = forges.find(({ kind }) => kind === written.kind);
  if (found === undefined) return null;
  return {
    kind: found.kind,
    url: written.url ?? null,
    project: written.project ?? null,
    tokenEnv: written.token_env ?? found.tokenEnv,
    usesOwnLogin,
    webhookSecretEnv: written.webhook_secret_env ?? null,
    reviewer: written.reviewer ?? null,
    assignee: written.assignee ?? null,
    labels: written.labels ?? [],
    draft: written.draft ?? false,
    react: {
      ci: written.react?.ci ?? DEFAULT_REACT.ci,
      comments: written.react?.comments ?? DEFAULT_REACT.comments,
      quietMs: parseDuration(written.react?.quiet ?? "") ?? DEFAULT_REACT.quietMs,
    },
    reviews: written.reviews ?? "post",
    options: pickOwn(found, written),
  };
}

function resolveAgents(
  user: UserWritten,
  own: ProjectWritten,
  kinds: readonly AgentKind[],
): Record<string, AgentSettings> {
  const builtIn = kinds.map(({ kind }) => kind);
  const names = new Set([...builtIn, ...Object.keys(user.agents ?? {}), ...Object.keys(own.agents ?? {})]);
  // Without a prototype, because tasks name agents: `constructor` must not be one.
  const agents = Object.create(null) as Record<string, AgentSettings>;
  for (const name of names) {
    const written = { ...user.agents?.[name], ...own.agents?.[name] };
    const found = findAgentKind(kinds, name, written);
    // The entry only sets a model for an undefined agent. Using that agent is reported as an error elsewhere.
    if (found === null) continue;
    agents[name] = { kind: found.kind, model: written.model ?? null, options: pickOwn(found, written) };
  }
  return agents;
}

function resolveRoles(user: UserWritten, own: ProjectWritten): Record<Role, RoleSettings> {
  const entries = ROLES.map((role) => [role, resolveRole(role, writtenRole(user, role), writtenRole(own, role))]);
  return Object.fromEntries(entries) as Record<Role, RoleSettings>; // one entry for each of ROLES
}

type WrittenRole = NonNullable<NonNullable<UserWritten["roles"]>[Role]>;

/** The reviewer also ranks variants, unless `rank` names another agent or model. */
function writtenRole({ roles = {} }: Pick<UserWritten, "roles">, role: Role): WrittenRole {
  const written = roles[role] ?? {};
  if (role !== "rank" || written.agent !== undefined) return written;
  const { agent, model } = roles.review ?? {};
  return { ...(agent !== undefined && { agent }), ...(model !== undefined && { model }), ...written };
}

function resolveRole(role: Role, user: WrittenRole, own: WrittenRole): RoleSettings {
  const builtIn = ROLE_DEFAULTS[role];
  const agent = own.agent ?? user.agent ?? null;
  // If the project chooses another agent for the role, the user's model does not apply to it.
  const switches = own.agent !== undefined && own.agent !== user.agent;
  return {
    agent,
    model: own.model ?? (switches ? undefined : user.model) ?? null,
    timeoutMs: capAmount(toMs(user.timeout), toMs(own.timeout)) ?? builtIn.timeoutMs,
    idleMs: capAmount(toMs(user.idle_timeout), toMs(own.idle_timeout)) ?? DEFAULT_IDLE_MS,
    stuck: {
      repeats: capAmount(user.repeat_limit, own.repeat_limit) ?? DEFAULT_STUCK_LIMITS.repeats,
      editMs: capAmount(toMs(user.edit_timeout), toMs(own.edit_timeout)) ?? DEFAULT_STUCK_LIMITS.editMs,
      editTokens: capAmount(user.edit_tokens, own.edit_tokens) ?? DEFAULT_STUCK_LIMITS.editTokens,
    },
    maxTurns: capAmount(user.max_turns, own.max_turns) ?? builtIn.maxTurns,
    maxBudgetUsd: capAmount(user.max_budget_usd, own.max_budget_usd),
    contextTokens: capAmount(user.context_tokens, own.context_tokens) ?? DEFAULT_CONTEXT_TOKENS,
    tools: own.tools ?? user.tools ?? builtIn.tools,
    commands: own.commands ?? user.commands ?? null,
    prompt: own.prompt ?? user.prompt ?? null,
    append: [user.append, own.append].filter((text) => text !== undefined).join("\n\n"),
  };
}

function resolveChecks(written: NonNullable<UserWritten["checks"]>): CheckSettings[] {
  return Object.entries(written).flatMap(([name, check]) => {
    if (check.enabled === false || check.command === undefined) return [];
    return [
      {
        name,
        command: check.command,
        related: check.related ?? null,
        severity: check.severity ?? (name === "lint" ? "warning" : "error"),
        roles: check.roles ?? ["implement", "request_changes"],
        timeoutMs: requireMs(check.timeout ?? DEFAULTS.checkTimeout),
      },
    ];
  });
}

function resolveWorkspace(user: UserWritten, own: ProjectWritten): Settings["workspace"] {
  const written = { ...user.workspace, ...own.workspace };
  return {
    setup: written.setup ?? null,
    setupTimeoutMs:
      capAmount(toMs(user.workspace?.setup_timeout), toMs(own.workspace?.setup_timeout)) ??
      requireMs(DEFAULTS.setupTimeout),
    branch: written.branch ?? DEFAULTS.branch,
    rebase: written.rebase ?? true,
    copy: written.copy ?? [],
    link: written.link ?? [],
    ports: capAmount(user.workspace?.ports, own.workspace?.ports) ?? DEFAULTS.ports,
  };
}

/** Caps the project's amount at the user's. Null if neither file sets one. */
export function capAmount(ceiling: number | null | undefined, amount: number | null | undefined): number | null {
  if (ceiling === null || ceiling === undefined) return amount ?? null;
  return amount === null || amount === undefined ? ceiling : Math.min(ceiling, amount);
}

export function toMs(duration: string | undefined): number | null {
  return duration === undefined ? null : requireMs(duration);
}

export function requireMs(duration: string): number {
  const ms = parseDuration(duration);
  if (ms === null) throw new TypeError(`The schema accepted the invalid duration ${duration}.`);
  return ms;
}

type WrittenPrices = z.infer<typeof prices>;

/** Reads the built-in prices, overridden by the user's. */
export async function readPrices(builtinDir: string, own: WrittenPrices = {}): Promise<PriceTable> {
  const shipped = prices.parse(parse(await readFile(join(builtinDir, "prices.yaml"), "utf8")));
  const entries = Object.entries({ ...shipped, ...own }).map(([model, { input, output, cache_read, cache_write }]) => [
    model,
    // Without cache prices, cached tokens cost as much as input tokens.
    { input, output, cacheRead: cache_read ?? input, cacheWrite: cache_write ?? input },
  ]);
  return Object.fromEntries(entries) as PriceTable; // one price for each entry
}

export const DEFAULT_DIFF_LINES = 100;

type WrittenImprove = NonNullable<UserWritten["improve"]>;

export function resolveImprove(user: WrittenImprove, own: WrittenImprove): ImproveSettings {
  const days = { ...user.categories, ...own.categories };
  return {
    schedule: own.schedule ?? user.schedule ?? null,
    categories: categoriesByDay(days),
    maxDiffLines: capAmount(user.max_diff_lines, own.max_diff_lines) ?? DEFAULT_DIFF_LINES,
    avoidRecentCommits: own.avoid_recent_commits ?? user.avoid_recent_commits ?? null,
    publish: own.publish ?? user.publish ?? "engine",
    jitterMs: toMs(own.jitter ?? user.jitter) ?? 0,
    variables: { ...user.variables, ...own.variables },
  };
}

function categoriesByDay(days: NonNullable<WrittenImprove["categories"]>): ImproveSettings["categories"] {
  const entries: readonly (readonly [Weekday, readonly Category[]])[] = WEEKDAYS.map((day) => [day, days[day] ?? []]);
  return Object.fromEntries(entries) as Record<Weekday, readonly Category[]>; // one entry for each of WEEKDAYS
}

export function resolveSchedules(written: NonNullable<UserWritten["schedules"]>): readonly ScheduleSettings[] {
  return written.map(({ name, cron, pipeline, title, description, auto_approve }) => ({
    name,
    cron,
    pipeline,
    title,
    description: description ?? title,
    autoApprove: auto_approve ?? false,
  }));
}

export function resolveNotify(written: WrittenNotify, notifiers: readonly NotifierKind[]): NotifySettings {
  const channels = notifiers.flatMap(({ kind }) => {
    const settings = written[kind];
    return settings === undefined ? [] : [[kind, settings] as const];
  });
  return { channels: Object.fromEntries(channels), heartbeat: written.heartbeat ?? null };
}
