import type { RunJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { formatCount, formatDuration, formatMoney } from "../../../ui/format.ts";
import type { GlyphName } from "../../../ui/glyph.tsx";

/** "implement, attempt 2", "checks". */
export function nameRun({ role, step, attempt }: RunJson): string {
  return `${role ?? step}${attempt > 1 ? `, attempt ${attempt}` : ""}`;
}

/** The shape of a run in the list. Null: an agent's word is no result, so it gets a neutral dot. */
export function glyphOf(run: RunJson, task: TaskJson): GlyphName | null {
  const { status, step } = run;
  if (status === "failed") return "failed";
  if (status === "cancelled") return "cancelled";
  if (status === "paused") return "paused";
  if (status === "running") return "running";
  if (step !== "checks" || status !== "succeeded") return null;
  // A run of checks succeeds when it has results, also bad ones.
  return failedChecks(run, task).length > 0 ? "failed" : "succeeded";
}

/** What came out of a run, in a few words. */
export function describeRun(run: RunJson, task: TaskJson): string {
  if (run.finished_at === null) return run.status;
  if (run.step === "checks") return describeChecks(run, task);
  const took = run.duration_ms === null ? [] : [formatDuration(run.duration_ms)];
  if (run.step === "publish" && task.change_request !== null && run.status === "succeeded")
    return `#${task.change_request.number}`;
  const outcome = run.role === "review" || run.status !== "succeeded" ? [run.outcome ?? run.status] : [];
  const cost = run.step === "agent" ? [describeCost(run)] : [];
  return [...outcome, ...took, ...cost].join(", ");
}

function describeChecks(run: RunJson, task: TaskJson): string {
  const own = task.checks.filter((check) => check.run === run.id);
  const failed = failedChecks(run, task);
  if (failed.length > 0) return `${failed.map(({ name }) => name).join(", ")} failed`;
  return own.length === 0 ? (run.outcome ?? run.status) : `${own.length} passed`;
}

function failedChecks(run: RunJson, task: TaskJson): TaskJson["checks"] {
  return task.checks.filter(
    (check) => check.run === run.id && (check.status === "failed" || check.status === "could_not_run"),
  );
}

function describeCost({ cost_usd: usd }: RunJson): string {
  return usd === null ? "cost unknown" : formatMoney(usd);
}

const ENDS: Readonly<Record<NonNullable<RunJson["ended_by"]>, string>> = {
  exit: "Ended by itself",
  timeout: "Ended because its time was up",
  idle: "Ended because it printed nothing for too long",
  cancel: "Ended because it was cancelled",
  kill: "Killed",
  output: "Ended because it printed too much",
  hung_after_outcome: "Ended because it did not exit after its report",
  lost: "Lost: its supervisor disappeared",
  refused: "Refused before its start",
  memory: "Ended because it used too much memory",
  disk: "Ended because the disk was full",
  budget: "Ended because its budget was used up",
  stuck: "Ended because it repeated itself",
};

/** How a run ended, its tokens, and its cost with where that number comes from. */
export function describeEnd(run: RunJson): string {
  const { exit, ended_by: by, tokens } = run;
  const how = by === null ? "Ended" : ENDS[by];
  const code =
    exit === null ? "" : exit.signal === null ? `, exit code ${exit.code ?? "unknown"}` : `, signal ${exit.signal}`;
  if (run.step !== "agent") return `${how}${code}.`;
  const counts = [
    `${formatCount(tokens.input)} tokens in`,
    `${formatCount(tokens.output)} out`,
    ...(tokens.cache_read > 0 ? [`${formatCount(tokens.cache_read)} read from cache`] : []),
    ...(tokens.cache_write > 0 ? [`${formatCount(tokens.cache_write)} written to cache`] : []),
  ];
  const cost = run.cost_usd === null ? "cost unknown" : `${formatMoney(run.cost_usd)} ${run.cost_basis}`;
  return `${how}${code}. ${counts.join(", ")}, ${cost}.`;
}
