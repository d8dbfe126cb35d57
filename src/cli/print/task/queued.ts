import { terminalLine } from "../../../core/text/terminal-text.ts";
import { describeParked } from "../../../core/task/describe-parked.ts";
import { withFullStop } from "../../../core/text/with-full-stop.ts";
import type { OutageJson, ParkedAgentJson, TaskJson } from "../../../http/client/client.ts";
import { describeTime } from "../terminal/time.ts";

type QueueKind = NonNullable<TaskJson["queued_for"]>["kind"];

const WORDS: Readonly<Record<QueueKind, string>> = {
  quota: "the usage limit of its agent to reset",
  login: "a login",
  program: "the program of its agent",
  provider: "the model provider",
  remote: "the git remote",
  machine: "this machine",
  budget: "its budget",
  window: "its time window",
  dependency: "another task",
  variants: "its variants",
  capacity: "capacity on this machine",
  backoff: "its next attempt",
};

export interface QueuedFor {
  /** Null: a limit on concurrent runs. Unknown words come from a daemon of a newer version. */
  readonly kind: string | null;
  readonly until: string | null;
}

/** Describes what a queued task waits for and until when, such as `waits for a login, next attempt in 4 min (14:30)`. */
export function describeQueued({ kind, until }: QueuedFor, now: number = Date.now()): string {
  if (kind === null) return "waits for a free slot (limits.concurrent_runs)";
  const what = `waits for ${isKnown(kind) ? WORDS[kind] : kind}`;
  if (until === null) return what;
  const next = `next attempt ${Date.parse(until) <= now ? "now" : describeTime(until, { now })}`;
  return kind === "backoff" ? next : `${what}, ${next}`;
}

/** Describes a parked agent, what it needs, and what to do. */
export function describeParking(
  { agent, kind, until, reason }: Pick<ParkedAgentJson, "agent" | "kind" | "until" | "reason">,
  now: number = Date.now(),
): string {
  const next = Date.parse(until) <= now ? "now" : describeTime(until, { now });
  const said = describeParked({ agent, kind, reason });
  return `${withFullStop(said)} Next attempt ${next}; try it now: nightshift agents --retry ${agent}`;
}

/** A daemon of an older version sends none. */
export function outagesOf(status: { readonly outages?: readonly OutageJson[] }): readonly OutageJson[] {
  return status.outages ?? [];
}

/** Says why a project's forge or remote cannot be read at the moment. */
export function describeOutage({ project, reason, since, until }: OutageJson, now: number = Date.now()): string {
  const next = Date.parse(until) <= now ? "now" : describeTime(until, { now });
  const why = withFullStop(terminalLine(reason, MAX_REASON));
  return `Cannot read what happened to the published changes of ${project}, first noticed ${describeTime(since, { now })}: ${why} Next attempt ${next}. "nightshift doctor" tests the connection now.`;
}

const MAX_REASON = 500;

function isKnown(kind: string): kind is QueueKind {
  return Object.hasOwn(WORDS, kind);
}
