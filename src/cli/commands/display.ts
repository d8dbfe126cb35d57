import { existsSync } from "node:fs";
import { join } from "node:path";
import { findHome, homePaths } from "../../config/files/paths.ts";
import type { Client, EventJson, OutputPageJson, RunJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import type { CliContext } from "../context.ts";
import { listLogs } from "../wait/run-logs.ts";
import { describeEvent } from "../print/event.ts";
import { JsonList } from "../print/terminal/json-list.ts";
import { shortId } from "../print/terminal/short-id.ts";
import { paint } from "../print/terminal/style.ts";
import { describeTime, exactTime } from "../print/terminal/time.ts";
import { quoteAgent, renderEvent } from "../print/transcript.ts";
import { surviveRestarts, type FollowingClient } from "../wait/survive-restarts.ts";
import { isSettled } from "../wait/wait-for-task.ts";

const POLL_MS = 250;

/** Prints the transcripts of all runs from the first line on, even if a run started earlier. */
export async function display(context: CliContext, id: string, options: { readonly follow?: boolean }): Promise<void> {
  const follow = options.follow ?? false;
  const connected = await connect(context);
  const client = follow ? surviveRestarts(context, connected) : connected;
  const runsDir = homePaths(await findHome(context.env)).runs;
  const shown = new Set<string>();
  const list = new JsonList(context);
  for (;;) {
    const task = await client.call("GET /tasks/:id", { params: { id } });
    const next = task.runs.find((run) => !shown.has(run.id) && run.started_at !== null);
    if (next !== undefined) {
      if (shown.size > 0 && !context.json) context.out("\n");
      shown.add(next.id);
      if (context.json) await listRun(list, pagesOf(client, next, follow));
      else await displayRun(context, { client, run: next, follow, logs: join(runsDir, next.id) });
    } else if (!follow || isSettled(task)) break;
    else await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  list.end();
  if (shown.size === 0) context.progress("No run has started yet.\n");
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

interface DisplayedRun {
  readonly client: FollowingClient;
  readonly run: RunJson;
  readonly follow: boolean;
  /** Directory with the complete output of setup and checks. */
  readonly logs: string;
}

async function displayRun(context: CliContext, displayed: DisplayedRun): Promise<void> {
  const { client, run, follow, logs } = displayed;
  context.out(`${paint(context, "bold", headingOf(context, run))}\n`);
  if (run.step === "checks") await displayChecks(context, displayed);
  else
    for await (const page of pagesOf(client, run, follow))
      for (const line of page.lines) for (const event of line.events) context.out(renderEvent(context, event));
  // The engine publishes without a process, so there is nothing to show.
  if (run.finished_at !== null && run.step !== "publish" && !existsSync(logs))
    context.out("▸ The transcript was removed (retention).\n");
  for (const file of listLogs(logs)) context.out(`${paint(context, "gray", `▸ log: ${file}`)}\n`);
  const ended = await client.call("GET /runs/:id", { params: { id: run.id } });
  if (ended.finished_at === null) return;
  context.out(`${paint(context, "gray", `▸ ${ended.outcome ?? ended.status}`)}\n`);
  if (ended.error !== null) context.out(quoteAgent(context, ended.error, "gray"));
}

/** Checks print to logs instead of a transcript. Their events say which of them runs. */
async function displayChecks(context: CliContext, { client, run, follow }: DisplayedRun): Promise<void> {
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

async function listRun(list: JsonList, pages: Pages): Promise<void> {
  for await (const page of pages)
    for (const line of page.lines)
      for (const event of line.events) list.add({ run: page.run, at: line.at, command: line.command, ...event });
}
