import { readdirSync, readFileSync } from "node:fs";
import { didYouMean } from "../../core/text/did-you-mean.ts";
import { UserError } from "../../core/text/errors.ts";
import { TASK_STATUSES, type TaskStatus } from "../../core/task/task.ts";
import { escapedLine } from "../../core/text/terminal-text.ts";
import type { Client, TaskJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { requireKnownProject } from "../project/find-project.ts";
import { indentText } from "../print/terminal/fit-text.ts";
import { formatMessage } from "../print/terminal/message.ts";
import { shortId } from "../print/terminal/short-id.ts";
import { styleOfStatus, type Screen } from "../print/terminal/style.ts";
import { table, type Cell, type Column } from "../print/terminal/table.ts";
import { describeTime } from "../print/terminal/time.ts";

const PAGE = 1000;

export async function queue(
  context: CliContext,
  options: { readonly status?: string; readonly limit: number },
): Promise<void> {
  const client = await connect(context);
  const tasks = await readTasks(context, client, options);
  if (tasks.length === 0) await refuseTypos(context, client, options.status);
  printResult(context, tasks, () =>
    tasks.length === 0 ? describeEmptyQueue(context.project, options.status) : tasksTable(context, tasks),
  );
}

/** Says which filter applied, so that an empty answer does not look like lost tasks. */
export function describeEmptyQueue(project: string | null, status: string | undefined): string {
  const filters = [
    ...(status === undefined ? [] : [`with ${isStatus(status) ? "status" : "state"} ${escapedLine(status)}`]),
    ...(project === null ? [] : [`of project ${escapedLine(project)}`]),
  ];
  const next =
    status === undefined ? 'Run "nightshift submit" to create one.' : 'Run "nightshift queue" to list all tasks.';
  return `There are no tasks${filters.map((filter) => ` ${filter}`).join("")}. ${next}\n`;
}

async function refuseTypos(context: CliContext, client: Client, word: string | undefined): Promise<void> {
  await requireKnownProject(context, client);
  if (word === undefined || word === COMMITTED || isStatus(word)) return;
  const { tasks } = await client.call("GET /tasks", { query: { limit: PAGE } });
  const states = [...new Set([...(await listBuiltInStates()), ...tasks.map(({ state }) => state)])].toSorted();
  if (states.includes(word)) return;
  throw new UserError(
    "invalid",
    `"${word}" is neither a status nor a state.${didYouMean(word, [...TASK_STATUSES, ...states])}`,
    `Statuses: ${TASK_STATUSES.join(", ")}. States: ${states.join(", ")}.`,
  );
}

async function listBuiltInStates(): Promise<readonly string[]> {
  const { parseYaml } = await import("../../config/parse/parse-yaml.ts");
  const dir = new URL("../../builtin/pipelines/", import.meta.url);
  return readdirSync(dir).flatMap((file) => {
    // Nightshift's own tests parse these files.
    const { states } = parseYaml(readFileSync(new URL(file, dir), "utf8"), file).value as { states: object };
    return Object.keys(states);
  });
}

async function readTasks(
  context: CliContext,
  client: Client,
  { status, limit }: { readonly status?: string; readonly limit: number },
): Promise<readonly TaskJson[]> {
  const filter = status === undefined ? {} : filterFor(status);
  const project = context.project ?? undefined;
  const found: TaskJson[] = [];
  for (let cursor: string | null = null; found.length < limit;) {
    const page: { tasks: TaskJson[]; next: string | null } = await client.call("GET /tasks", {
      query: { ...filter, project, limit: Math.min(PAGE, limit - found.length), cursor: cursor ?? undefined },
    });
    found.push(...page.tasks);
    cursor = page.next;
    if (cursor === null) break;
  }
  return found;
}

/** An approved staged task that waits for its turn. It has no status of its own. */
const COMMITTED = "committed";

export function filterFor(word: string): { readonly status?: TaskStatus; readonly state?: string } {
  if (word === COMMITTED) return { state: "running", status: "queued" };
  return isStatus(word) ? { status: word } : { state: word };
}

function isStatus(word: string): word is TaskStatus {
  return TASK_STATUSES.some((status) => status === word);
}

const COLUMNS: readonly Column[] = [
  { heading: "TASK" },
  { heading: "PROJECT", min: 8, drop: 3 },
  { heading: "PIPELINE", drop: 1 },
  { heading: "STATE", drop: 4 },
  { heading: "STATUS" },
  { heading: "FOR" },
  { heading: "REQUEST" },
  { heading: "SUBMITTED", drop: 2 },
  { heading: "TITLE", min: 24 },
];

export function tasksTable(screen: Screen, tasks: readonly TaskJson[]): string {
  const rows = tasks.map((task) => [
    shortId(screen, task),
    task.project,
    task.pipeline,
    task.state,
    { text: task.status, style: styleOfStatus(task.status) },
    waitsFor(task),
    describeRequest(task),
    describeTime(task.created_at),
    task.title,
  ]);
  return `${table(screen, COLUMNS, rows)}${parkedTasks(screen, tasks)}`;
}

/** Why tasks are parked, once for all tasks with the same reason. */
export function parkedTasks(screen: Screen, tasks: readonly TaskJson[]): string {
  const parked = tasks.filter(({ queued_for }) => queued_for?.reason != null);
  const lines = [...Map.groupBy(parked, ({ queued_for }) => queued_for?.reason ?? "")].map(
    ([reason, same]) =>
      `${indentText(screen, `${same.map((task) => shortId(screen, task)).join(", ")}: ${formatMessage(reason)}`, "", "  ")}\n`,
  );
  return lines.length === 0
    ? ""
    : `\n${lines.join("")}Parked tasks continue by themselves. To continue now: nightshift retry <task>\n`;
}

function waitsFor({ waiting_for, queued_for }: TaskJson): string {
  return waiting_for?.kind ?? queued_for?.kind ?? "";
}

function describeRequest({ change_request: request }: TaskJson): Cell {
  // A daemon of an older version does not send it.
  if (request == null) return "";
  const style = { open: "cyan", merged: "green", closed: "gray" } as const;
  return { text: `${request.number} ${request.state}`, style: style[request.state] };
}
