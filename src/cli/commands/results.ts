import { escapedLine, terminalText } from "../../core/text/terminal-text.ts";
import type { Client, TaskJson } from "../../http/client/client.ts";
import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { denials, describeDenied } from "../print/access.ts";
import { table } from "../print/table.ts";
import { summary } from "../print/summary.ts";
import { readPages } from "./display.ts";

export async function results(
  context: CliContext,
  id: string,
  options: { readonly showOutput?: boolean },
): Promise<void> {
  const client = await connect(context);
  const task = await client.call("GET /tasks/:id", { params: { id } });
  const output = options.showOutput === true ? await readOutput(client, task) : null;
  const value = {
    task: task.id,
    status: task.status,
    outcome: task.outcome,
    reason: task.reason,
    files: changedFiles(task),
    cost_usd: task.cost_usd,
    unknown_cost: task.unknown_cost,
    tokens: task.tokens,
    duration_ms: task.duration_ms,
    branch: task.branch,
    artifacts: task.artifacts,
    checks: task.checks,
    denied: denials(task),
    error: task.runs.at(-1)?.error ?? null,
    ...(output === null ? {} : { output }),
  };
  printResult(context, value, () =>
    [summary(context, task), deniedPart(task), filesTable(task), output === null ? "" : `\n${output}`].join(""),
  );
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

function filesTable(task: TaskJson): string {
  const files = changedFiles(task);
  if (files.length === 0) return "  No files changed.\n";
  return `\n${table(
    ["FILE", "CHANGE", "+", "−"],
    files.map((file) => [escapedLine(file.path), file.change, String(file.insertions), String(file.deletions)]),
  )}`;
}

async function readOutput(client: Client, task: TaskJson): Promise<string> {
  const parts: string[] = [];
  for (const run of task.runs)
    for await (const page of readPages(client, run.id))
      for (const line of page.lines)
        for (const event of line.events) if ("text" in event) parts.push(terminalText(event.text));
  return `${parts.join("\n")}\n`;
}
