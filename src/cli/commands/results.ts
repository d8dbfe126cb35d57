import { escapedLine, terminalJson, terminalText } from "../../core/text/terminal-text.ts";
import type { Client, TaskJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { denials, describeDenied } from "../print/access.ts";
import { renderMarkdown } from "../print/terminal/markdown.ts";
import { table, type Column } from "../print/terminal/table.ts";
import { summary } from "../print/task/summary.ts";
import { unverifiedReason } from "../print/task/task.ts";
import { quoteAgent } from "../print/transcript.ts";
import { readPages } from "./display.ts";

export async function results(
  context: CliContext,
  id: string,
  options: { readonly showOutput?: boolean },
): Promise<void> {
  const client = await connect(context);
  const task = await client.call("GET /tasks/:id", { params: { id } });
  const value = {
    task: task.id,
    status: task.status,
    outcome: task.outcome,
    reason: task.reason,
    unverified: unverifiedReason(task),
    result: resultOf(task),
    files: changedFiles(task),
    cost_usd: task.cost_usd,
    unknown_cost: task.unknown_cost,
    tokens: task.tokens,
    duration_ms: task.duration_ms,
    branch: task.branch,
    artifacts: task.artifacts,
    checks: task.checks,
    proof: task.proof ?? null,
    denied: denials(task),
    error: task.runs.at(-1)?.error ?? null,
  };
  const text = (): string =>
    [summary(context, task), resultPart(context, task), deniedPart(task), filesTable(context, task)].join("");
  if (options.showOutput !== true) return printResult(context, value, text);
  if (context.json)
    await printJsonWithOutput(
      context,
      value,
      readOutput(client, task, (part) => `${terminalText(part)}\n`),
    );
  else {
    context.out(`${text()}\n`);
    for await (const quoted of readOutput(client, task, (part) => quoteAgent(context, part))) context.out(quoted);
  }
}

/** Prints `value` with the additional property `output`, part by part, because the output can have hundreds of megabytes. */
export async function printJsonWithOutput(
  context: CliContext,
  value: object,
  output: AsyncIterable<string>,
): Promise<void> {
  const json = terminalJson(value, 2);
  context.out(`${json.slice(0, json.lastIndexOf("\n"))},\n  "output": "`);
  for await (const part of output) context.out(terminalJson(part).slice(1, -1));
  context.out('"\n}\n');
}

/** The text that the executor of a staged task delivered. */
function resultOf({ runs }: TaskJson): string | null {
  const result = runs.findLast(({ role }) => role === "execute")?.payload?.["result"];
  return typeof result === "string" && result.trim() !== "" ? result : null;
}

function resultPart(context: CliContext, task: TaskJson): string {
  const result = resultOf(task);
  return result === null ? "" : `\nResult\n${renderMarkdown(context, result, "  ")}\n`;
}

function deniedPart(task: TaskJson): string {
  const denied = describeDenied(task);
  return denied === "" ? "" : `\nDenied\n${denied}`;
}

interface ChangedFile {
  readonly path: string;
  readonly change: string;
  readonly insertions: number;
  readonly deletions: number;
}

function changedFiles(task: TaskJson): readonly ChangedFile[] {
  const files = task.artifacts.findLast(({ type }) => type === "diff")?.data["files"];
  // The engine writes this as DiffStats, and the API passes it on unchanged.
  return Array.isArray(files) ? (files as readonly ChangedFile[]) : [];
}

const FILE_COLUMNS: readonly Column[] = [
  { heading: "FILE", min: 20, keep: "end" },
  { heading: "CHANGE" },
  { heading: "+", align: "right" },
  { heading: "−", align: "right" },
];

function filesTable(context: CliContext, task: TaskJson): string {
  const files = changedFiles(task);
  if (files.length === 0) return "  No files changed.\n";
  return `\n${table(
    context,
    FILE_COLUMNS,
    files.map((file) => [escapedLine(file.path), file.change, String(file.insertions), String(file.deletions)]),
  )}`;
}

async function* readOutput(client: Client, task: TaskJson, format: (text: string) => string): AsyncGenerator<string> {
  for (const run of task.runs)
    for await (const page of readPages(client, run.id))
      for (const line of page.lines) for (const event of line.events) if ("text" in event) yield format(event.text);
}
