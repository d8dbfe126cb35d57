import { existsSync } from "node:fs";
import { join } from "node:path";
import { findHome, homePaths } from "../../config/files/paths.ts";
import { terminalLine } from "../../core/text/terminal-text.ts";
import type { Client, EventJson, OutputPageJson, RunJson, TaskJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import type { CliContext } from "../context.ts";
import { listLogs } from "../wait/run-logs.ts";
import { describeEvent } from "../print/event.ts";
import { JsonList } from "../print/terminal/json-list.ts";
import { shortId } from "../print/terminal/short-id.ts";
import { cutToFit } from "../print/terminal/fit-text.ts";
import { hangMessage } from "../print/terminal/message.ts";
import { paint, styleOfStatus } from "../print/terminal/style.ts";
import { describeTime, exactTime } from "../print/terminal/time.ts";
import { duration, money } from "../print/terminal/words.ts";
import { ownLine, quoteAgent } from "../print/transcript/quote.ts";
import { TranscriptPrinter } from "../print/transcript/printer.ts";
import { formatNextSteps, nextSteps } from "../print/task/next-steps.ts";
import { taskLine } from "../print/task/task.ts";
import { describeWaiting } from "../print/task/waiting.ts";
import { usageTable } from "../print/usage.ts";
import { printPaged, type PagedOutput } from "../pager.ts";
import { findReviewCommand } from "../wait/review-command.ts";
import { surviveRestarts, type FollowingClient } from "../wait/survive-restarts.ts";
import { isSettled } from "../wait/wait-for-task.ts";

const POLL_MS = 250;
const MAX_LINE = 200;
const SHORTENED = "Long parameters and results are shortened; --full shows them.";

export interface DisplayOptions {
  readonly follow?: boolean;
  readonly full?: boolean;
  /** False with `--no-pager`. */
  readonly pager?: boolean;
}

/** Prints the transcripts of all runs from the first line on, even if a run started earlier. */
export async function display(context: CliContext, id: string, options: DisplayOptions): Promise<void> {
  const { follow = false, full = false, pager = true } = options;
  const connected = await connect(context);
  const client = follow ? surviveRestarts(context, connected) : connected;
  const task = await client.call("GET /tasks/:id", { params: { id } });
  if (context.json) return listRuns(context, { client, task, follow });
  if (!follow && !task.runs.some(hasStarted)) return context.progress("No run has started yet.\n");
  const { runs: runsDir } = homePaths(await findHome(context.env));
  await printPaged(context, pager && !follow, async (output) => {
    const settled = await displayRuns({ output, client, task, follow, full, runsDir, shortened: new Set() });
    if (follow) output.context.progress(await describeNext(context, client, settled));
  });
}

/** What happened at the end, and what to do next. */
async function describeNext(context: CliContext, client: FollowingClient, task: TaskJson): Promise<string> {
  const review = await findReviewCommand(context, client, task);
  return `${taskLine(context, task)}${describeWaiting(context, task)}${formatNextSteps(nextSteps(task, review))}`;
}

interface Display {
  readonly output: PagedOutput;
  readonly client: FollowingClient;
  readonly task: TaskJson;
  readonly follow: boolean;
  readonly full: boolean;
  /** Directory with the complete output of setup and checks, by run. */
  readonly runsDir: string;
  /** Runs that are not shown in full. */
  readonly shortened: Set<string>;
}

/** Returns the task as it is at the end. */
async function displayRuns(given: Display): Promise<TaskJson> {
  const { output, client, follow } = given;
  const { context } = output;
  let task = given.task;
  let isFirst = true;
  for await (const run of startedRuns(client, given.task, follow)) {
    if (!isFirst) context.out("\n");
    isFirst = false;
    if (!(await displayRun(given, run))) return task;
  }
  task = await client.call("GET /tasks/:id", { params: { id: task.id } });
  const usage = usageTable(context, task);
  if (usage !== "") context.out(`\n${paint(context, "bold", "Usage")}\n${usage}`);
  if (given.shortened.size > 0) context.out(`\n${paint(context, "gray", hangMessage(context, SHORTENED, ""))}\n`);
  return task;
}

async function listRuns(context: CliContext, { client, task, follow }: Pick<Display, "client" | "task" | "follow">) {
  const list = new JsonList(context);
  for await (const run of startedRuns(client, task, follow)) await listRun(list, pagesOf(client, run, follow));
  list.end();
}

/** The runs that have started. With `follow`, also those that start until the task ends or waits for a person. */
async function* startedRuns(client: FollowingClient, first: TaskJson, follow: boolean): AsyncGenerator<RunJson> {
  const shown = new Set<string>();
  for (let task = first; ;) {
    const next = task.runs.find((run) => !shown.has(run.id) && hasStarted(run));
    if (next !== undefined) {
      shown.add(next.id);
      yield next;
    } else if (!follow || isSettled(task)) return;
    else await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    task = await client.call("GET /tasks/:id", { params: { id: task.id } });
  }
}

function hasStarted({ started_at: started }: RunJson): boolean {
  return started !== null;
}

type Pages = AsyncIterable<OutputPageJson>;

function pagesOf(client: FollowingClient, run: RunJson, follow: boolean): Pages {
  return follow ? client.output(run.id, { signal: new AbortController().signal }) : readPages(client, run.id);
}

/** Reads the output that exists now, page by page. */
export async function* readPages(
  client: Pick<Client, "call">,
  id: string,
  raw = false,
): AsyncGenerator<OutputPageJson> {
  for (let offset = 0; ;) {
    const page = await client.call("GET /runs/:id/output", { params: { id }, query: { offset, raw: String(raw) } });
    yield page;
    if (page.next === offset) return;
    offset = page.next;
  }
}

/** Returns false if the person closed the pager. */
async function displayRun(given: Display, run: RunJson): Promise<boolean> {
  const { output, client } = given;
  const { context } = output;
  context.out(`${paint(context, "bold", cutToFit(context, headingOf(context, run), 0))}\n`);
  if (run.step === "checks") await displayChecks(given, run);
  else if (!(await displayTranscript(given, run))) return false;
  const logs = join(given.runsDir, run.id);
  // The engine publishes without a process, so there is nothing to show.
  if (run.finished_at !== null && run.step !== "publish" && !existsSync(logs))
    context.out("▸ The transcript was removed (retention).\n");
  for (const file of listLogs(logs)) context.out(`${paint(context, "gray", `▸ log: ${file}`)}\n`);
  context.out(describeEnd(context, await client.call("GET /runs/:id", { params: { id: run.id } })));
  return output.ready();
}

async function displayTranscript(given: Display, run: RunJson): Promise<boolean> {
  const { output, client, follow, full } = given;
  const { context } = output;
  const printer = new TranscriptPrinter(context, { full, usage: run.finished_at === null });
  let hasBegun = false;
  for await (const page of pagesOf(client, run, follow)) {
    if (!hasBegun && page.lines.length > 0) {
      hasBegun = true;
      // A run that was followed from its start learned its version and its model later.
      context.out(
        describeAgent(context, follow ? await client.call("GET /runs/:id", { params: { id: run.id } }) : run),
      );
    }
    for (const line of page.lines) for (const event of line.events) context.out(printer.add(event));
    if (follow) context.out(printer.flushComplete());
    if (!(await output.ready())) return false;
  }
  context.out(printer.flush());
  if (printer.isShortened) given.shortened.add(run.id);
  return true;
}

/** Checks print to logs instead of a transcript. Their events say which of them runs. */
async function displayChecks({ output: { context }, client, follow }: Display, run: RunJson): Promise<void> {
  for await (const event of follow ? followRun(client, run) : readEvents(client, run.task))
    if (event.run === run.id && event.type.startsWith("check."))
      context.out(`▸ ${exactTime(event.at)}  ${describeEvent(context, event, null)}\n`);
}

/** The task's events until the run has ended. */
async function* followRun(client: FollowingClient, run: RunJson): AsyncGenerator<EventJson> {
  let hasBegun = false;
  for await (const event of client.events({ after: 0, task: run.task, signal: new AbortController().signal })) {
    yield event;
    if (event.run === run.id && event.type === "run.started") hasBegun = true;
    else if (hasBegun && AFTER_RUN.has(event.type)) return;
  }
}

/** Events after which a run that had started has ended. */
const AFTER_RUN: ReadonlySet<string> = new Set([
  "run.started",
  "run.ended",
  "run.interrupted",
  "task.state",
  "task.ended",
]);

async function* readEvents(client: FollowingClient, task: string): AsyncGenerator<EventJson> {
  for (let after = 0; ;) {
    const { events, next } = await client.call("GET /tasks/:id/events", { params: { id: task }, query: { after } });
    yield* events;
    if (next === null) return;
    after = next;
  }
}

function headingOf(context: CliContext, run: RunJson): string {
  const started = run.started_at === null ? [] : [describeTime(run.started_at)];
  return [`── ${run.state}`, run.role ?? run.step, `attempt ${run.attempt}`, shortId(context, run), ...started].join(
    " · ",
  );
}

function describeAgent(context: CliContext, { agent, agent_version: version, model }: RunJson): string {
  if (agent === null) return "";
  const name = version === null ? agent : `${agent} ${version}`;
  return ownLine(context, "gray", terminalLine(model === null ? name : `${name}, model ${model}`, MAX_LINE));
}

function describeEnd(context: CliContext, run: RunJson): string {
  if (run.finished_at === null) return ownLine(context, "cyan", `${run.status}; --follow continues`);
  const parts = [
    run.outcome ?? run.status,
    ...(run.duration_ms === null ? [] : [duration(run.duration_ms)]),
    ...(run.step === "agent" && run.cost_usd !== null ? [money(run.cost_usd)] : []),
  ];
  const end = ownLine(context, run.status === "succeeded" ? "green" : styleOfStatus(run.status), parts.join(" · "));
  return run.error === null ? end : `${end}${quoteAgent(context, run.error, "red")}`;
}

async function listRun(list: JsonList, pages: Pages): Promise<void> {
  for await (const page of pages)
    for (const line of page.lines)
      for (const event of line.events) list.add({ run: page.run, at: line.at, command: line.command, ...event });
}
