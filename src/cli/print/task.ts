import { describeCheckStatus } from "../../core/task/describe-check.ts";
import { terminalLine, terminalText } from "../../core/text/terminal-text.ts";
import type { RunJson, TaskJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { paintCheck, severityWord, withoutFindings } from "./findings.ts";
import { formatMessage } from "./hint.ts";
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
            `  ${id}: ${terminalText(question)}${options.length === 0 ? "" : ` [${options.map((option) => terminalLine(option, MAX_LINE)).join(" | ")}]`}${fallback === null ? "" : ` (default: ${terminalLine(fallback, MAX_LINE)})`}`,
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
        `→ nightshift choose ${task.id} <option>`,
        "",
      ].join("\n");
    case "review":
      return `Waiting for a review: nightshift approve ${task.id} or nightshift reject ${task.id}\n`;
    case "merge":
      return "Waiting for the change request to be merged.\n";
  }
}
