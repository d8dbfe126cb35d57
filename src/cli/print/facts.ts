import { terminalText } from "../../core/text/terminal-text.ts";
import type { TaskJson } from "../../http/client/client.ts";
import { withoutFindings } from "./findings.ts";
import { layOut } from "./hint.ts";
import { duration, money } from "./words.ts";

/** What there is to know of a task besides its path and its runs, a line each. */
export function facts(task: TaskJson): string {
  const url = task.artifacts.findLast(({ type }) => type === "change_request")?.url ?? null;
  const reason = reasonBeside(task.reason ?? "", url);
  const lines = [
    `project ${task.project}, pipeline ${task.pipeline}, priority ${task.priority}, submitted by ${task.submitted_by} at ${task.created_at}`,
    ...(task.category === null ? [] : [`category ${task.category}`]),
    commits(task),
    `took ${duration(task.duration_ms)}, agents ${duration(task.agent_ms ?? 0)}, cost ${money(task.cost_usd, task.unknown_cost ?? 0)}`,
    ...whyQueued(task).map((why) => `tried again later: ${layOut(why, "    ")}`),
    ...(url === null ? [] : [`change request: ${terminalText(url)}`]),
    ...(reason === "" ? [] : [`reason: ${layOut(withoutFindings(reason, task), "    ")}`]),
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}

/** A task that is parked has no reason of its own yet; its last run has one. */
function whyQueued({ queued_for: queued, runs }: TaskJson): readonly string[] {
  const error = runs.findLast(({ finished_at: finished }) => finished !== null)?.error ?? null;
  return queued === null || error === null ? [] : [error];
}

/** What agents left is squashed into one commit when it is published: two hashes for the same files. */
function commits(task: TaskJson): string {
  const published = task.artifacts.findLast(({ type }) => type === "commit")?.label;
  return [
    `branch ${task.branch ?? "–"}`,
    `base ${task.base_commit?.slice(0, 12) ?? "–"}`,
    `work ${task.head_commit?.slice(0, 12) ?? "–"}`,
    ...(published === undefined ? [] : [`published ${terminalText(published)}`]),
  ].join(", ");
}

/** What was published has its address for a reason, and behind it what the forge did not like. */
function reasonBeside(reason: string, url: string | null): string {
  if (url === null || !`${reason} `.startsWith(`${url} `)) return reason;
  const rest = reason.slice(url.length).trim();
  return /^\((.*)\)$/s.exec(rest)?.[1] ?? rest;
}
