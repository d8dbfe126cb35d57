import { isFailure, type Outcome } from "../outcomes/outcome.ts";
import { MAX_PARK_MS, parkDelayMs } from "./retry.ts";
import type { QueuedFor, Task } from "./task.ts";

/** Why no run of an agent can succeed at the moment. */
export const PARK_KINDS = ["quota", "login", "program", "provider"] as const;
export type ParkKind = (typeof PARK_KINDS)[number];

/** An agent that starts no run until one run, the probe, shows that it works again. */
export interface ParkedAgent {
  /** Login and quota that several runs share; see `accountOf`. */
  readonly account: string;
  /** The agent's name in the settings of the run that found the problem. */
  readonly agent: string;
  readonly kind: ParkKind;
  /** What the agent reported, in a sentence. */
  readonly reason: string;
  readonly since: number;
  /** Number of runs in a row that found the problem: the first one and the failed probes. */
  readonly tries: number;
  /** When the next probe may start. */
  readonly until: number;
  /** The run that probes, or probed last. Null before the first probe. */
  readonly probe: string | null;
}

/** What a run that ended says about its agent. */
export interface AgentEvidence {
  readonly run: string;
  readonly account: string;
  readonly agent: string;
  readonly outcome: Outcome;
  /** Whether the agent's process was started and ended by itself or by the engine. */
  readonly hasRun: boolean;
  readonly outputTokens: number;
  readonly at: number;
}

/** The kind of parking that an outcome causes. Null for trouble of the machine, the git remote or the forge, and for all other outcomes. */
export function parkKindOf(outcome: Outcome): ParkKind | null {
  switch (outcome.name) {
    case "usage_limit":
      return "quota";
    case "agent_missing":
      return "program";
    case "login_expired":
      return outcome.payload.service === undefined ? "login" : null;
    case "provider_down":
      return outcome.payload.service === undefined && outcome.payload.waits_for === undefined ? "provider" : null;
    default:
      return null;
  }
}

/**
 * Decides whether a run that ended parks or unparks its agent. Returns `before` if nothing changes. Only the probe can end or
 * prolong a parking: other runs started before the agent was parked, so they say nothing about it now.
 */
export function decideParking(before: ParkedAgent | null, evidence: AgentEvidence): ParkedAgent | null {
  const kind = parkKindOf(evidence.outcome);
  if (before === null) return kind === null ? null : park(null, kind, evidence);
  if (before.probe !== evidence.run) return before;
  if (kind !== null) return park(before, kind, evidence);
  return hasAnswered(evidence) ? null : before;
}

function park(before: ParkedAgent | null, kind: ParkKind, evidence: AgentEvidence): ParkedAgent {
  const { account, agent, outcome, at } = evidence;
  const isSame = before?.kind === kind;
  const tries = isSame ? before.tries + 1 : 1;
  const until = nextProbe(kind, tries, { at, retryAt: outcome.retryAt ?? null });
  return {
    account,
    agent,
    kind,
    reason: outcome.summary,
    since: isSame ? before.since : at,
    tries,
    until,
    probe: null,
  };
}

interface ProbeTimes {
  readonly at: number;
  /** When the agent said that it can be used again. */
  readonly retryAt: number | null;
}

/** A person must log in or install the program. A change of the keys, a restart or that person starts the probe earlier. */
function nextProbe(kind: ParkKind, tries: number, { at, retryAt }: ProbeTimes): number {
  if (retryAt !== null && retryAt > at) return retryAt;
  return at + (kind === "login" || kind === "program" ? MAX_PARK_MS : parkDelayMs(tries));
}

/** Whether the model answered, so that login, quota and provider work. A cancelled or interrupted run does not show that. */
function hasAnswered({ outcome, hasRun, outputTokens }: AgentEvidence): boolean {
  if (outputTokens > 0) return true;
  if (!hasRun || outcome.name === "cancel") return false;
  return !isFailure(outcome) || outcome.name === "no_changes";
}

/** What a task that waits for the agent shows. */
export function queuedForAgent({ agent, kind, until, reason }: ParkedAgent): QueuedFor {
  return { kind, until, reason, agent };
}

/** The task with another agent for the rest of its work, because its own is parked. */
export function withAgent(task: Task, agent: string): Task {
  const { implementer, ...options } = task.options;
  const choice = { agent, model: null };
  return {
    ...task,
    options: {
      ...options,
      ...choice,
      ...(implementer !== undefined && { implementer: { ...implementer, ...choice } }),
    },
  };
}
