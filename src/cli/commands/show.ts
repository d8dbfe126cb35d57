import { describePath } from "../../core/pipeline/describe-path.ts";
import { possibleActions } from "../../core/pipeline/possible-actions.ts";
import { escapedLine, prefixLines, terminalText } from "../../core/text/terminal-text.ts";
import type { EventJson, TaskJson } from "../../http/client/client.ts";
import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { describeDenied, describeGranted } from "../print/access.ts";
import { describeFindings } from "../print/findings.ts";
import { checksTable, describeWaiting, facts, runsTable, taskLine } from "../print/task.ts";
import { paint } from "../print/style.ts";

const MAX_TEXT = 2_000;
const MAX_STEPS = 30;

export async function show(context: CliContext, id: string): Promise<void> {
  const client = await connect(context);
  const task = await client.call("GET /tasks/:id", { params: { id } });
  const { events } = await client.call("GET /tasks/:id/events", { params: { id: task.id }, query: { limit: 1000 } });
  printResult(context, task, () => render(context, task, events));
}

function render(context: CliContext, task: TaskJson, events: readonly EventJson[]): string {
  const title = (text: string): string => `\n${paint(context, "bold", text)}\n`;
  const parts = [
    taskLine(context, task),
    facts(task),
    describeRequest(events),
    title("Path"),
    `${path(events)}\n`,
    title("Task"),
    `${cut(task.description)}\n`,
  ];
  if (task.plan !== null) parts.push(title("Plan"), `${cut(JSON.stringify(task.plan, null, 2))}\n`);
  if (task.runs.length > 0) parts.push(title("Runs"), runsTable(context, task.runs));
  if (task.checks.length > 0) parts.push(title("Checks"), checksTable(context, task));
  const findings = describeFindings(context, task.checks);
  if (findings !== "") parts.push(title("Findings"), findings);
  const denied = describeDenied(task);
  if (denied !== "") parts.push(title("Denied"), denied);
  const granted = describeGranted(events);
  if (granted !== "") parts.push(title("Granted"), granted);
  if (task.artifacts.length > 0)
    parts.push(
      title("Artifacts"),
      ...task.artifacts.map(
        ({ type, label, url }) => `  ${type}: ${escapedLine(label)}${url === null ? "" : ` ${escapedLine(url)}`}\n`,
      ),
    );
  for (const exchange of task.conversation)
    if (exchange.reply !== null)
      parts.push(
        `  ${exchange.by ?? "?"}: ${escapedLine(
          Object.entries(exchange.reply)
            .map(([key, value]) => `${key}=${value}`)
            .join(", "),
        )}\n`,
      );
  const removed = events.findLast(({ type }) => type === "task.files_removed");
  if (removed !== undefined) parts.push(`\nNightshift ${terminalText(removed.summary)}.\n`);
  if (task.waiting_for !== null) parts.push(title("Your turn"), describeWaiting(task));
  parts.push(
    title("Possible now"),
    `${possibleActions(task.status, task.waiting_for?.kind ?? null)
      .map((action) => `nightshift ${action} ${task.id}`)
      .join("\n")}\n`,
  );
  return parts.join("");
}

/** The forge reports a merged or closed change request after the task has ended, so only the events have it. */
function describeRequest(events: readonly EventJson[]): string {
  const last = events.findLast(({ type }) => type === "request.merged" || type === "request.closed");
  return last === undefined
    ? ""
    : `  change request: ${last.type === "request.merged" ? "merged" : "closed"} at ${last.at}\n`;
}

function path(events: readonly EventJson[]): string {
  const steps = events
    .filter(({ type }) => type === "task.state")
    .map(({ data }) => ({ from: word(data["from"]), to: word(data["to"]), outcome: word(data["outcome"]) }));
  return steps.length === 0 ? "The task has not left its first state yet." : describePath(steps, null, MAX_STEPS);
}

function word(value: unknown): string {
  return typeof value === "string" ? value : "?";
}

/** Indented, so that no line of it can imitate one of our own. */
function cut(text: string): string {
  const safe = prefixLines(terminalText(text), "  ");
  return safe.length <= MAX_TEXT
    ? safe
    : `${safe.slice(0, MAX_TEXT)}… (${safe.length} characters; use --json to see all)`;
}
