import { terminalText } from "../../core/text/terminal-text.ts";
import type { TaskJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { describeFindings, lastChecks, withoutFindings } from "./findings.ts";
import { layOut } from "./hint.ts";
import { describeWaiting, taskLine } from "./task.ts";
import { duration, money, plural } from "./words.ts";

/** Success speaks for itself, but for a night that found nothing: what it looked at is its answer. */
export function tellsReason({ status, state }: Pick<TaskJson, "status" | "state">): boolean {
  return status !== "succeeded" || state === "no_improvement";
}

/** A task that walked its categories without a result has a line for each of them. */
function hasLines({ category, state, reason }: TaskJson): boolean {
  return category !== null && state !== "published" && (reason ?? "").includes("\n");
}

/** A task in a few lines: how it stands, what it made, and what a person is asked. */
export function summary(context: Pick<CliContext, "color">, task: TaskJson): string {
  const branch = task.artifacts.findLast(({ type }) => type === "branch");
  const request = task.artifacts.findLast(({ type }) => type === "change_request");
  const diff = task.artifacts.findLast(({ type }) => type === "diff");
  const facts = [
    `${plural(task.runs.length, "run")} in ${duration(task.duration_ms)}, cost ${money(task.cost_usd, task.unknown_cost ?? 0)}`,
    ...(task.category === null || hasLines(task) ? [] : [`category: ${task.category}`]),
    ...(diff === undefined ? [] : [`change: ${terminalText(diff.label)}`]),
    ...(branch === undefined ? [] : [`branch: ${terminalText(branch.label)}`]),
    ...(request?.url == null ? [] : [`change request: ${terminalText(request.url)}`]),
    ...(task.reason === null || !tellsReason(task)
      ? []
      : [hasLines(task) ? `reason:\n    ${layOut(task.reason, "    ")}` : reasonLine(task, task.reason)]),
  ];
  const findings = describeFindings(context, lastChecks(task));
  return [
    taskLine(context, task),
    ...facts.map((fact) => `  ${fact}\n`),
    ...(findings === "" ? [] : ["\nFindings\n", findings]),
    describeWaiting(task),
  ].join("");
}

function reasonLine(task: TaskJson, reason: string): string {
  return `reason: ${layOut(withoutFindings(reason, task), "  ")}`;
}
