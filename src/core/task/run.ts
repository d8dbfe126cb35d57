import type { RecordedGrants } from "./run-grants.ts";
import type { Role } from "./role.ts";
import type { Trigger } from "./task.ts";

/**
 * `queued`: not admitted yet. `starting`: admitted and counted against the limits, but no worker has claimed it.
 * The last five are final; a run ends exactly once.
 */
export const RUN_STATUSES = [
  "queued",
  "starting",
  "running",
  "paused",
  "succeeded",
  "failed",
  "cancelled",
  "interrupted",
  "timeout",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export type RunEndStatus = "succeeded" | "failed" | "cancelled" | "interrupted" | "timeout";

/** Admitted and not ended. These runs count against the limits and are reconciled after a restart. */
export const OPEN_RUN_STATUSES: readonly RunStatus[] = ["starting", "running", "paused"];

/** `notBefore` of a run that starts only when its task is woken, whatever the clock says. */
export const HELD = 8_640_000_000_000_000;

export type StepKind = "agent" | "checks" | "publish" | "post";

/** Why a supervised process ended. The first recorded reason is kept. */
export const ENDED_BY = [
  "exit",
  "timeout",
  "idle",
  "cancel",
  "kill",
  "output",
  "hung_after_outcome",
  "lost",
  "refused",
  "memory",
  "disk",
  "budget",
  "stuck",
] as const;
export type EndedBy = (typeof ENDED_BY)[number];

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export type CostBasis = "reported" | "metered" | "computed" | "unknown";

/** One execution of one step of a task. */
export interface Run {
  readonly id: string;
  readonly task: string;
  readonly project: string;
  readonly state: string;
  readonly step: StepKind;
  readonly role: Role | null;
  /** Number of this run among the task's runs of this role, from 1. Interrupted and parked runs do not count. */
  readonly attempt: number;
  readonly status: RunStatus;
  /** Fencing token: increases when another worker claims the run. Writes with an older token are rejected. */
  readonly token: number;
  /** The run is not admitted before this time; see also `HELD`. */
  readonly notBefore: number | null;
  readonly trigger: Trigger | null;
  readonly agent: string | null;
  /** Login and quota that the run uses; see `accountOf`. Null if the run needs no agent or its settings could not be read. */
  readonly account: string | null;
  readonly agentVersion: string | null;
  readonly model: string | null;
  readonly sandbox: string | null;
  /** Null for a run without an agent, one that has not started, and runs of earlier versions. */
  readonly granted: RecordedGrants | null;
  readonly sessionId: string | null;
  readonly outcome: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly exit: Exit | null;
  readonly endedBy: EndedBy | null;
  readonly error: string | null;
  /** The commit that the engine created from the run's files; null if nothing changed. */
  readonly commit: string | null;
  /** The amount reserved from the night's and month's budget; null if neither has a limit. */
  readonly reservedUsd: number | null;
  readonly costUsd: number | null;
  readonly costBasis: CostBasis;
  readonly tokens: Tokens;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** Time during which the processes were paused. It does not count as run time. */
  readonly pausedMs: number;
}

/**
 * `inconclusive`: it fails in the same way on the base commit. `could_not_run`: it does not run on the base commit either
 * (program missing, timeout, set-up failed). `flaky`: it failed, then passed when it was repeated at once.
 */
export const CHECK_STATUSES = ["passed", "failed", "inconclusive", "could_not_run", "flaky", "skipped"] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];
export type Severity = "error" | "warning";

/** The result of one check of one `checks` run. */
export interface CheckResult {
  readonly run: string;
  readonly name: string;
  readonly severity: Severity;
  readonly status: CheckStatus;
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** The relevant part of its output, for people and for the repair prompt: failed tests first, then the end. */
  readonly tail: string;
}
