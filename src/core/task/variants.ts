import { leftForTask } from "../money/budget.ts";
import { hasEnded, type AgentChoice, type QueuedFor, type Task, type TaskOptions } from "./task.ts";

export const MIN_VARIANTS = 2;
export const MAX_VARIANTS = 5;

/** The name starts like the counters of runs, so that a retry keeps the number and does not find the variants of an earlier round. */
export const ROUNDS = "ran:best_of";

/** Whether several agents implement the task and none of their variants was chosen yet. */
export function wantsVariants({ options }: Pick<Task, "options">): boolean {
  return options.bestOf !== undefined && options.implementer === undefined;
}

/** Whether the next run of the task is held until its variants have ended. */
export function waitsForVariants({ queuedFor }: Pick<Task, "queuedFor">): boolean {
  return queuedFor?.kind === "variants";
}

/** What a task waits for whose variants are under way. */
export function queuedForVariants({ bestOf = [] }: TaskOptions): QueuedFor {
  const names = bestOf.map(describeChoice).join(", ");
  return { kind: "variants", until: null, reason: `${bestOf.length} agents implement it: ${names}.` };
}

export function describeChoice({ agent, model }: AgentChoice): string {
  return model === null ? agent : `${agent}:${model}`;
}

/** Keys of the variants, by which the store creates each of them once. */
export function variantKeys({ id, options, counters }: Pick<Task, "id" | "options" | "counters">): readonly string[] {
  return keysOf(id, options, counters[ROUNDS] ?? 0);
}

/** Also those of earlier rounds: the task may have been retried. */
export function allVariantKeys(task: Pick<Task, "id" | "options" | "counters">): readonly string[] {
  const rounds = task.counters[ROUNDS] ?? 0;
  return Array.from({ length: rounds }, (_, index) => keysOf(task.id, task.options, index + 1)).flat();
}

function keysOf(task: string, { bestOf = [] }: TaskOptions, round: number): readonly string[] {
  return bestOf.map((_, index) => `variant ${task} ${round} ${index + 1}`);
}

/** What each variant may spend. One more share is left for the ranking and everything after it. Null: no limit. */
export function shareOfBudget(
  limitUsd: number | null,
  costs: readonly (number | null)[],
  variants: number,
): number | null {
  const { leftUsd } = leftForTask(limitUsd, costs);
  return leftUsd === null ? null : Math.max(0, leftUsd) / (variants + 1);
}

/**
 * The variants that may be chosen, best group first: those that passed the checks, or else those that the checks neither
 * passed nor failed. The usual gates of the task decide about the latter.
 */
export function findCandidates<Variant extends Pick<Task, "status" | "outcome">>(
  variants: readonly Variant[],
): readonly Variant[] {
  const succeeded = variants.filter(({ status }) => status === "succeeded");
  const passed = succeeded.filter(({ outcome }) => outcome === "checks_passed");
  return passed.length > 0 ? passed : succeeded;
}

/** Whether the work of a failed variant can be repaired. A change that the policy rejected may contain a secret. */
export function isRepairable({ status, outcome, baseCommit, headCommit }: Task): boolean {
  return status === "failed" && outcome === "checks_failed" && headCommit !== null && headCommit !== baseCommit;
}

/** How long an agent that is parked delays the others. */
const MAX_PARKED_MS = 30 * 60_000;

/**
 * Whether the task goes on: all variants have ended, or one has passed and the others have been waiting for a quota, a login
 * and the like for too long.
 */
export function areDecidable(variants: readonly Task[], at: number): boolean {
  const open = variants.filter((variant) => !hasEnded(variant));
  if (open.length === 0) return true;
  if (findCandidates(variants).length === 0 || !open.every(isParked)) return false;
  const newestEnd = Math.max(...variants.map(({ finishedAt }) => finishedAt ?? 0));
  return at - newestEnd >= MAX_PARKED_MS;
}

const SHORT_WAITS: readonly (QueuedFor["kind"] | undefined)[] = ["backoff", "capacity", undefined];

function isParked({ status, queuedFor }: Task): boolean {
  return status === "queued" && !SHORT_WAITS.includes(queuedFor?.kind);
}

/**
 * Neutral names, so that the reviewer does not favour its own kind. They follow no order of the agents, and are the same
 * whenever they are asked for.
 */
export function nameVariants<Variant extends Pick<Task, "id">>(
  variants: readonly Variant[],
  digest: (text: string) => string,
): ReadonlyMap<string, Variant> {
  const shuffled = variants.toSorted((a, b) => (digest(a.id) < digest(b.id) ? -1 : 1));
  return new Map(shuffled.map((variant, index) => [LETTERS[index] ?? String(index + 1), variant]));
}

const LETTERS = "ABCDE";
