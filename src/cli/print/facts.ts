import { terminalText } from "../../core/text/terminal-text.ts";
import type { TaskJson } from "../../http/client/client.ts";
import { withoutFindings } from "./findings.ts";
import { formatMessage } from "./hint.ts";
import { duration, money } from "./words.ts";

/** Describes a task in several lines, without its path and its runs. */
export function facts(task: TaskJson): string {
  const url = task.artifacts.findLast(({ type }) => type === "change_request")?.url ?? null;
  const reason = reasonWithoutUrl(task.reason ?? "", url);
  const lines = [
    `project ${task.project}, pipeline ${task.pipeline}, priority ${task.priority}, submitted by ${task.submitted_by} at ${task.created_at}`,
    ...(task.category === null ? [] : [`category ${task.category}`]),
    commits(task),
    `took ${duration(task.duration_ms)}, agents ${duration(task.agent_ms ?? 0)}, cost ${money(task.cost_usd, task.unknown_cost ?? 0)}`,
    ...whyQueued(task).map((why) => `will be retried: ${formatMessage(why, "    ")}`),
    ...(url === null ? [] : [`change request: ${terminalText(url)}`]),
    ...(reason === "" ? [] : [`reason: ${formatMessage(withoutFindings(reason, task), "    ")}`]),
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}

/** A parked task has no reason yet, so this returns the error of its last run. */
function whyQueued({ queued_for: queued, runs }: TaskJson): readonly string[] {
  const error = runs.findLast(({ finished_at: finished }) => finished !== null)?.error ?? null;
  return queued === null || error === null ? [] : [error];
}

/** Publishing squashes the agent's commits into one, so the same files have two commit hashes. */
function commits(task: TaskJson): string {
  const published = task.artifacts.findLast(({ type }) => type === "commit")?.label;
  return [
    `branch ${task.branch ?? "–"}`,
    `base ${task.base_commit?.slice(0, 12) ?? "–"}`,
    `work ${task.head_commit?.slice(0, 12) ?? "–"}`,
    ...(published === undefined ? [] : [`published ${terminalText(published)}`]),
  ].join(", ");
}

/** The reason of a published task is its URL, optionally followed by a problem that the forge reported. Removes the URL. */
function reasonWithoutUrl(reason: string, url: string | null): string {
  if (url === null || !`${reason} `.startsWith(`${url} `)) return reason;
  const rest = reason.slice(url.length).trim();
  return /^\((.*)\)$/s.exec(rest)?.[1] ?? rest;
}
