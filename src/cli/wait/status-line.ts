import { terminalLine } from "../../core/text/terminal-text.ts";
import type { RunJson, TaskJson } from "../../http/client/client.ts";
import { describeQueued } from "../print/task/queued.ts";
import { describeSubtasks } from "../print/task/task.ts";
import { money } from "../print/terminal/words.ts";

/** More than fits on a line of a terminal. */
const MAX_PART = 500;

/** What the line shows. */
export interface LiveTask {
  readonly task: TaskJson;
  /** What its current run does. */
  readonly activity: string | null;
  /** Cost of the current run so far. Null if it is not known. */
  readonly runCost: number | null;
  readonly elapsedMs: number;
  readonly now: number;
}

/** Formats what a task does now. The longest part is the last one, because the end of the line may be cut. */
export function statusLine({ task, activity, runCost, elapsedMs, now }: LiveTask): string {
  const parts = [...describeState(task, now), ...describeSubtasks(task), describeCost(task, runCost), activity];
  const known = parts.flatMap((part) => (part === null ? [] : [terminalLine(part, MAX_PART)]));
  return `${wholeSeconds(elapsedMs).padStart(8)}  ${known.join(" · ")}`;
}

/** The run that is not finished and not queued. */
export function currentRun({ runs }: Pick<TaskJson, "runs">): RunJson | null {
  return runs.findLast((run) => run.started_at !== null && run.finished_at === null) ?? null;
}

function describeState(task: TaskJson, now: number): readonly (string | null)[] {
  const run = currentRun(task);
  if (task.status === "paused") return [`${task.state}, paused`, `continue with: nightshift resume ${task.id}`];
  if (task.status === "queued" && run === null) {
    const { kind = null, until = null, reason = null } = task.queued_for ?? {};
    const error = kind === null ? null : (task.runs.findLast(({ finished_at: end }) => end !== null)?.error ?? null);
    return [task.state, describeQueued({ kind, until }, now), reason ?? error];
  }
  return [task.state, run?.role == null ? null : `${run.role}${run.attempt > 1 ? ` (attempt ${run.attempt})` : ""}`];
}

/** Null as long as nothing is known to have been spent. */
function describeCost({ cost_usd: cost }: TaskJson, runCost: number | null): string | null {
  const sum = (cost ?? 0) + (runCost ?? 0);
  return sum === 0 ? null : money(sum);
}

/** Such as `12 s`, `1 min 5 s` or `2 h 10 min`. */
export function wholeSeconds(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
