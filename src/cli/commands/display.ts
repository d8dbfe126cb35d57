import { terminalLine, terminalText } from "../../core/terminal-text.ts";
import type { Client, RunJson, TaskJson, TranscriptEventJson } from "../../http/client.ts";
import { connect } from "../connect.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../print/style.ts";
import { money } from "../print/words.ts";

const GLANCE_MS = 250;
const MAX_LINE = 200;
const MAX_RESULT = 2_000;

/** Run after run, each from its first line: whoever comes late sees all of it. */
export async function display(context: CliContext, id: string, options: { readonly follow?: boolean }): Promise<void> {
  const client = await connect(context);
  const shown = new Set<string>();
  for (;;) {
    const task = await client.call("GET /tasks/:id", { params: { id } });
    const next = task.runs.find((run) => !shown.has(run.id) && run.started_at !== null);
    if (next !== undefined) {
      shown.add(next.id);
      await displayRun(context, client, { run: next, follow: options.follow ?? false });
    } else if (options.follow !== true || isSettled(task)) break;
    else await new Promise((resolve) => setTimeout(resolve, GLANCE_MS));
  }
  if (shown.size === 0) context.tell("nothing has run yet\n");
}

function isSettled({ status }: TaskJson): boolean {
  return ["waiting", "succeeded", "failed", "cancelled"].includes(status);
}

interface Showing {
  readonly run: RunJson;
  readonly follow: boolean;
}

async function displayRun(context: CliContext, client: Client, { run, follow }: Showing): Promise<void> {
  const heading = `── ${run.state} · ${run.role ?? run.step} · attempt ${run.attempt} · ${run.id}`;
  if (!context.json) context.out(`${paint(context, "bold", heading)}\n`);
  const stop = new AbortController();
  const pages = follow ? client.output(run.id, { signal: stop.signal }) : readPages(client, run.id);
  for await (const page of pages)
    for (const line of page.lines)
      for (const event of line.events) context.out(context.json ? `${JSON.stringify({ run: run.id, at: line.at, ...event })}\n` : render(context, event));
  const ended = await client.call("GET /runs/:id", { params: { id: run.id } });
  if (!context.json && ended.finished_at !== null) context.out(`${paint(context, "gray", `   ${ended.outcome ?? ended.status}${ended.error === null ? "" : `: ${terminalText(ended.error)}`}`)}\n`);
}

async function* readPages(client: Client, id: string): AsyncGenerator<Awaited<ReturnType<typeof readPage>>> {
  for (let offset = 0; ; ) {
    const page = await readPage(client, id, offset);
    yield page;
    if (page.next === offset) return;
    offset = page.next;
  }
}

function readPage(client: Client, id: string, offset: number) {
  return client.call("GET /runs/:id/output", { params: { id }, query: { format: "json", offset } });
}

function render(context: CliContext, event: TranscriptEventJson): string {
  switch (event.type) {
    case "text":
    case "raw":
      return `${terminalText(event.text)}\n`;
    case "thinking":
      return `${paint(context, "gray", terminalText(event.text))}\n`;
    case "tool_call":
      return `${paint(context, "cyan", `▸ ${terminalLine(event.name, MAX_LINE)}`)} ${terminalLine(JSON.stringify(event.input) ?? "", MAX_LINE)}\n`;
    case "tool_result":
      return `${paint(context, event.failed ? "red" : "gray", terminalText(event.output.slice(0, MAX_RESULT)))}\n`;
    case "file_change":
      return `${paint(context, "yellow", `${event.change} ${terminalLine(event.path, MAX_LINE)}`)}\n`;
    case "usage":
      return paint(context, "gray", `  ${event.tokens.input} in, ${event.tokens.output} out, ${money(event.cost_usd)}\n`);
    case "limit":
      return paint(context, "yellow", `  ${event.kind} limit${event.resets_at === null ? "" : ` until ${event.resets_at}`}\n`);
    case "session":
      return "";
    case "error":
      return `${paint(context, "red", terminalText(event.message))}\n`;
  }
}
