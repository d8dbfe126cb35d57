import { describeCheckStatus } from "../../core/task/describe-check.ts";
import { escapedLine, terminalLine } from "../../core/text/terminal-text.ts";
import type { RunJson, TaskJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { paintCheck, severityWord, withoutFindings } from "./findings.ts";
import { formatMessage } from "./message.ts";
import { paintStatus } from "./style.ts";
import { table } from "./table.ts";
import { duration, money } from "./words.ts";

const MAX_LINE = 200;

/** One line about a task, the output of most commands. */
export function taskLine(context: Pick<CliContext, "color">, task: TaskJson): string {
  const waits = task.waiting_for === null ? "" : ` – waiting for ${task.waiting_for.kind}`;
  const queued =
    task.queued_for === null
      ? ""
      : ` – ${task.queued_for.kind}${task.queued_for.until === null ? "" : ` until ${task.queued_for.until}`}`;
  return `${task.id}  ${paintStatus(context, task.status)} in ${task.state}${waits}${queued}  ${terminalLine(task.title, MAX_LINE)}\n`;
}

export function runsTable(context: Pick<CliContext, "color">, runs: readonly RunJson[]): string {
  const rows = runs.map((run) => [
    run.id,
    run.state,
    run.role ?? run.step,
    run.agent ?? "",
    paintStatus(context, run.status),
    run.outcome ?? "",
    run.duration_ms === null ? "" : duration(run.duration_ms),
    run.step === "agent" ? money(run.cost_usd) : "",
    run.sandbox ?? "–",
  ]);
  return table(["RUN", "STATE", "ROLE", "AGENT", "STATUS", "OUTCOME", "TIME", "COST", "SANDBOX"], rows);
}

export function checksTable(context: Pick<CliContext, "color">, task: TaskJson): string {
  const rows = task.checks.map((check) => [
    check.run,
    check.name,
    paintCheck(context, check, describeCheckStatus(check)),
    severityWord(check),
    duration(check.duration_ms),
  ]);
  return table(["RUN", "CHECK", "RESULT", "SEVERITY", "TIME"], rows);
}

/** Describes what the task waits for, with the command that answers it. */
export function describeWaiting(task: TaskJson): string {
  const waiting = task.waiting_for;
  if (waiting === null) return "";
  switch (waiting.kind) {
    case "approval":
      return `Waiting for your approval: nightshift show ${task.id}, then nightshift approve ${task.id}${waiting.plan_hash === null ? "" : ` --plan ${waiting.plan_hash}`}\n`;
    case "answers":
      return [
        "Waiting for answers:",
        ...waiting.questions.map(
          ({ id, question, options, default: fallback }) =>
            `  ${id}: ${formatMessage(question, "    ")}${options.length === 0 ? "" : ` [${options.map((option) => terminalLine(option, MAX_LINE)).join(" | ")}]`}${fallback === null ? "" : ` (default: ${terminalLine(fallback, MAX_LINE)})`}`,
        ),
        `→ nightshift answer ${task.id} ${waiting.questions.map(({ id }) => `${id}=…`).join(" ")}`,
        "",
      ].join("\n");
    case "choice":
      return [
        `Waiting for a choice: ${formatMessage(withoutFindings(waiting.reason, task), "  ")}`,
        ...waiting.options.map(
          ({ id, title, recommended }) =>
            `  ${id}: ${terminalLine(title, MAX_LINE)}${recommended ? " (recommended)" : ""}`,
        ),
        `→ nightshift choose ${task.id} <option> --note "…"`,
        "",
      ].join("\n");
    case "review":
      return `Waiting for a review: nightshift approve ${task.id} or nightshift reject ${task.id}\n`;
    case "merge":
      return "Waiting for the change request to be merged.\n";
  }
}

/** Describes a task in several lines, without its path and its runs. */
export function facts(task: TaskJson): string {
  const url = task.artifacts.findLast(({ type }) => type === "change_request")?.url ?? null;
  const reason = reasonWithoutUrl(task.reason ?? "", url);
  const lines = [
    `project ${task.project}, pipeline ${task.pipeline}, priority ${task.priority}, submitted by ${task.submitted_by} at ${task.created_at}`,
    ...(task.category === null ? [] : [`category ${task.category}`]),
    ...(task.unchecked.length === 0 ? [] : [describeUnchecked(task)]),
    commits(task),
    `took ${duration(task.duration_ms)}, agents ${duration(task.agent_ms ?? 0)}, cost ${money(task.cost_usd, task.unknown_cost ?? 0)}`,
    ...whyQueued(task).map((why) => `will be retried: ${formatMessage(why, "    ")}`),
    ...(url === null ? [] : [`change request: ${escapedLine(url)}`]),
    ...(reason === "" ? [] : [`reason: ${formatMessage(withoutFindings(reason, task), "    ")}`]),
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}

export function describeUnchecked({ unchecked }: Pick<TaskJson, "unchecked">): string {
  return `not checked: nobody has accepted the project's checks ${unchecked.map(escapedLine).join(", ")}`;
}

/** Why nothing vouches for a published change. Null if it passed the checks or is not published. */
export function unverifiedReason({ runs }: Pick<TaskJson, "runs">): string | null {
  const reason = runs.findLast(({ outcome }) => outcome === "published")?.payload?.["unverified"];
  return typeof reason === "string" ? reason : null;
}

/** Without a reason of its own, the error of the last run explains the wait. */
function whyQueued({ queued_for: queued, runs }: TaskJson): readonly string[] {
  if (queued !== null && queued.reason !== null) return [queued.reason];
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
    ...(published === undefined ? [] : [`published ${escapedLine(published)}`]),
  ].join(", ");
}

/** The reason of a published task is its URL, optionally followed by a problem that the forge reported. Removes the URL. */
function reasonWithoutUrl(reason: string, url: string | null): string {
  if (url === null || !`${reason} `.startsWith(`${url} `)) return reason;
  const rest = reason.slice(url.length).trim();
  return /^\((.*)\)$/s.exec(rest)?.[1] ?? rest;
}
