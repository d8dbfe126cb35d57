import { CHANGE_REQUEST } from "../../core/notices/notice.ts";
import { describePath } from "../../core/pipeline/describe-path.ts";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import { possibleActions } from "../../core/pipeline/possible-actions.ts";
import { findRunningCheck, type RunningCheck } from "../../core/task/running-check.ts";
import { escapedLine, terminalText } from "../../core/text/terminal-text.ts";
import type { Client, EventJson, OutageJson, TaskJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { PLACEHOLDER } from "../copyable.ts";
import { printResult, type CliContext } from "../context.ts";
import { describeDenied, describeGranted } from "../print/access.ts";
import { describeConversation } from "../print/task/conversation.ts";
import { describeFindings } from "../print/task/findings.ts";
import { indentText } from "../print/terminal/fit-text.ts";
import { describeMergeOrder } from "../print/merge-order.ts";
import { describeOutage, outagesOf } from "../print/task/queued.ts";
import { describeNotifications } from "../print/task/notifications.ts";
import { describeReviews } from "../print/task/reviews.ts";
import { shortId } from "../print/terminal/short-id.ts";
import { paint } from "../print/terminal/style.ts";
import { checksTable, facts, runsTable, taskLine } from "../print/task/task.ts";
import { exactTime } from "../print/terminal/time.ts";
import { variantsTable } from "../print/variants.ts";
import { describeWaiting } from "../print/task/waiting.ts";
import { duration } from "../print/terminal/words.ts";
import { readDocuments } from "../read-documents.ts";

const MAX_TEXT = 2_000;
const MAX_STEPS = 30;

export async function show(context: CliContext, id: string): Promise<void> {
  const client = await connect(context);
  const task = await client.call("GET /tasks/:id", { params: { id } });
  const { events } = await client.call("GET /tasks/:id/events", { params: { id: task.id }, query: { limit: 1000 } });
  const pages = context.json ? [] : await describeDocuments(context, client, task);
  const outage = context.json ? null : await findOutage(client, task);
  printResult(context, task, () => render(context, task, { pages, events, outage }));
}

/** A task that waits for its merge depends on what the daemon can read from the forge or remote. */
async function findOutage(client: Client, { project, waiting_for: waiting }: TaskJson): Promise<OutageJson | null> {
  if (waiting?.kind !== "merge") return null;
  return outagesOf(await client.call("GET /status")).find((outage) => outage.project === project) ?? null;
}

async function describeDocuments(context: CliContext, client: Client, task: TaskJson): Promise<readonly string[]> {
  const documents = await readDocuments(client, task);
  if (documents.length === 0) return [];
  // Loaded here because few tasks have documents, and the Markdown parser is large.
  const { describeDocument } = await import("../print/task/document.ts");
  return documents.map((document) => describeDocument(context, document));
}

interface Details {
  /** The task's documents. */
  readonly pages: readonly string[];
  readonly events: readonly EventJson[];
  readonly outage: OutageJson | null;
}

function render(context: CliContext, task: TaskJson, { pages, events, outage }: Details): string {
  const title = (text: string): string => `\n${paint(context, "bold", text)}\n`;
  const parts = [
    taskLine(context, task),
    facts(context, task),
    title("Path"),
    `${indentText(context, path(events), "  ")}\n`,
    title("Task"),
    `${cut(context, task.description)}\n`,
  ];
  parts.push(...pages.map((page) => `\n${page}`));
  if (task.subtasks.length > 0) parts.push(title("Progress"), ...task.subtasks.map(describeSubtask));
  // A daemon of an older version does not send them.
  if ((task.variants ?? []).length > 0) parts.push(title("Variants"), variantsTable(context, task));
  if (task.runs.length > 0) parts.push(title("Runs"), runsTable(context, task.runs));
  const notifications = describeNotifications(task);
  if (notifications !== "") parts.push(title("Notifications"), notifications);
  const setups = describeSetups(events);
  if (setups !== "") parts.push(title("Set-up"), setups);
  const running = findRunningCheck(events);
  if (task.checks.length > 0 || running !== null) parts.push(title("Checks"));
  if (task.checks.length > 0) parts.push(checksTable(context, task));
  if (running !== null) parts.push(`  ${describeRunning(running)}\n`);
  const findings = describeFindings(context, task);
  if (findings !== "") parts.push(title("Findings"), findings);
  // A review that a person decides about is shown as a document.
  const isDocument = task.documents.some(({ kind }) => kind === "review");
  const reviews = isDocument ? "" : describeReviews(context, task);
  if (reviews !== "") parts.push(title("Reviews"), reviews);
  const order = describeMergeOrder(context, task);
  if (order !== "") parts.push(title("Merge order"), order);
  const denied = describeDenied(task);
  if (denied !== "") parts.push(title("Denied"), denied);
  const granted = describeGranted(context, task, events);
  if (granted !== "") parts.push(title("Granted"), granted);
  if (task.artifacts.length > 0)
    parts.push(
      title("Artifacts"),
      ...task.artifacts.map(
        ({ type, label, url }) => `  ${type}: ${escapedLine(label)}${url === null ? "" : ` ${escapedLine(url)}`}\n`,
      ),
    );
  const conversation = describeConversation(context, task);
  if (conversation !== "") parts.push(title("Answers"), conversation);
  const unclosed = events.findLast(({ type, data }) => type === "notice.failed" && data["channel"] === CHANGE_REQUEST);
  if (unclosed !== undefined && task.change_request?.state === "open")
    parts.push(`\n${terminalText(unclosed.summary)}. Close it at the forge.\n`);
  const removed = events.findLast(({ type }) => type === "task.files_removed");
  if (removed !== undefined) parts.push(`\nNightshift ${terminalText(removed.summary)}.\n`);
  if (task.waiting_for !== null) parts.push(title("Your turn"), describeWaiting(context, task, { isPlanShown: true }));
  if (outage !== null) parts.push(`${indentText(context, describeOutage(outage), "", "  ")}\n`);
  parts.push(
    title("Possible now"),
    // "Your turn" has the commands that answer what the task waits for.
    `${possibleActions(task.status, { isParked: task.queued_for !== null, isNight: isNight(task) })
      .map(
        (action) =>
          `nightshift ${action} ${shortId(context, task)}${action === "follow-up" ? ` "${PLACEHOLDER}"` : ""}`,
      )
      .join("\n")}\n`,
  );
  return parts.join("");
}

function describeRunning({ name, since }: RunningCheck): string {
  const elapsed = duration(Math.max(0, Date.now() - Date.parse(since)));
  return `${escapedLine(name)}: running for ${elapsed}, since ${exactTime(since)}`;
}

/** Whether installed dependencies were reused, or why they cannot be. */
function describeSetups(events: readonly EventJson[]): string {
  const setups = events.filter(({ type }) => type === "workspace.setup");
  return [...new Set(setups.map(({ summary }) => `  ${escapedLine(summary)}\n`))].join("");
}

function isNight({ pipeline, category }: TaskJson): boolean {
  return category !== null || pipeline === NIGHT_WORK.pipeline;
}

/** Agents report which steps of the plan are done. */
function describeSubtask({ title, done }: TaskJson["subtasks"][number]): string {
  return `  ${done ? "✓" : "–"} ${escapedLine(title)}\n`;
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
function cut(context: CliContext, text: string): string {
  const safe = terminalText(text).trim();
  const shown =
    safe.length <= MAX_TEXT ? safe : `${safe.slice(0, MAX_TEXT)}… (${safe.length} characters; use --json to see all)`;
  return indentText(context, shown, "  ");
}
