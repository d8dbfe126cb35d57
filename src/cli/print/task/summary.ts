import { escapedLine } from "../../../core/text/terminal-text.ts";
import type { TaskJson } from "../../../http/client/client.ts";
import { describeFindings, lastChecks, withoutFindings } from "./findings.ts";
import { formatMessage } from "../terminal/message.ts";
import type { Screen } from "../terminal/style.ts";
import {
  describeProof,
  describeStop,
  describeSubtasks,
  describeUnchecked,
  taskLine,
  unverifiedReason,
} from "./task.ts";
import { describeWaiting } from "./waiting.ts";
import { duration, money, plural } from "../terminal/words.ts";

/** A successful task needs no reason, except an improvement that found nothing: its reason says what was analyzed. */
export function showsReason({ status, state }: Pick<TaskJson, "status" | "state">): boolean {
  return status !== "succeeded" || state === "no_improvement";
}

/** An improvement that published nothing has one line of reason per category. */
function hasReasonPerCategory({ category, state, reason }: TaskJson): boolean {
  return category !== null && state !== "published" && (reason ?? "").includes("\n");
}

/** Summarizes a task: its status, what it produced, and what it waits for. */
export function summary(context: Screen, task: TaskJson): string {
  const branch = task.artifacts.findLast(({ type }) => type === "branch");
  const request = task.artifacts.findLast(({ type }) => type === "change_request");
  const diff = task.artifacts.findLast(({ type }) => type === "diff");
  // With a change request, the reason is its address, which has a line of its own.
  const merged = task.outcome === "merged" && request === undefined ? task.reason : null;
  const unverified = unverifiedReason(task);
  const facts = [
    `${plural(task.runs.length, "run")} in ${duration(task.duration_ms)}, cost ${money(task.cost_usd, task.unknown_cost ?? 0)}`,
    ...(task.category === null || hasReasonPerCategory(task) ? [] : [`category: ${task.category}`]),
    ...(task.unchecked.length === 0 ? [] : [describeUnchecked(task)]),
    ...describeStop(task),
    ...describeSubtasks(task),
    ...describeProof(task),
    ...(unverified === null ? [] : [`not verified: ${formatMessage(unverified, "  ")}`]),
    ...(diff === undefined ? [] : [`change: ${escapedLine(diff.label)}`]),
    ...(branch === undefined || merged !== null ? [] : [`branch: ${escapedLine(branch.label)}`]),
    ...(request?.url == null ? [] : [`change request: ${escapedLine(request.url)}`]),
    ...(merged === null ? [] : [formatMessage(merged, "  ")]),
    ...(task.reason === null || !showsReason(task)
      ? []
      : [
          hasReasonPerCategory(task)
            ? `reason:\n    ${formatMessage(task.reason, "    ")}`
            : reasonLine(task, task.reason),
        ]),
  ];
  const findings = describeFindings(context, task, lastChecks(task));
  return [
    taskLine(context, task),
    ...facts.map((fact) => `  ${fact}\n`),
    ...(findings === "" ? [] : ["\nFindings\n", findings]),
    describeWaiting(context, task),
  ].join("");
}

function reasonLine(task: TaskJson, reason: string): string {
  return `reason: ${formatMessage(withoutFindings(reason, task), "  ")}`;
}
