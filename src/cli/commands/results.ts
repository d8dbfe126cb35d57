import { terminalJson } from "../../core/text/terminal-text.ts";
import type { Client, TaskJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { denials } from "../print/access.ts";
import { changedFiles, groupFiles, notRecorded } from "../print/task/files.ts";
import { describeResults, resultOf } from "../print/task/results.ts";
import { unverifiedReason } from "../print/task/task.ts";
import { quoteAgent } from "../print/transcript/quote.ts";
import { readPages } from "./display.ts";

export async function results(
  context: CliContext,
  id: string,
  options: { readonly showOutput?: boolean },
): Promise<void> {
  const client = await connect(context);
  const task = await client.call("GET /tasks/:id", { params: { id } });
  const result = resultOf(task);
  const value = {
    task: task.id,
    status: task.status,
    outcome: task.outcome,
    reason: task.reason,
    unverified: unverifiedReason(task),
    result,
    result_bytes: result === null ? 0 : Buffer.byteLength(result),
    files: groupFiles(changedFiles(task)),
    not_recorded: notRecorded(task),
    cost_usd: task.cost_usd,
    unknown_cost: task.unknown_cost,
    tokens: task.tokens,
    duration_ms: task.duration_ms,
    branch: task.branch,
    artifacts: task.artifacts,
    checks: task.checks,
    proof: task.proof ?? null,
    processes: task.runs.flatMap(({ id: run, pid }) => (pid == null ? [] : [{ run, pid }])),
    denials: denials(task),
    error: task.runs.at(-1)?.error ?? null,
  };
  const text = (): string => describeResults(context, task);
  if (options.showOutput !== true) return printResult(context, value, text);
  if (context.json) await printJsonWithOutput(context, value, readEvents(client, task));
  else {
    context.out(`${text()}\n`);
    for await (const line of readLines(client, task)) context.out(quoteAgent(context, line));
  }
}

/** Prints `value` with the additional property `output`, event by event, because the output can have hundreds of megabytes. */
export async function printJsonWithOutput(
  context: CliContext,
  value: object,
  events: AsyncIterable<object>,
): Promise<void> {
  const json = terminalJson(value, 2);
  context.out(`${json.slice(0, json.lastIndexOf("\n"))},\n  "output": [`);
  let separator = "\n";
  for await (const event of events) {
    context.out(`${separator}    ${terminalJson(event)}`);
    separator = ",\n";
  }
  context.out("\n  ]\n}\n");
}

async function* readLines(client: Client, task: TaskJson): AsyncGenerator<string> {
  for (const run of task.runs)
    for await (const page of readPages(client, run.id, true))
      for (const { from, text } of page.lines) if (from !== "gateway" && text !== undefined) yield text;
}

async function* readEvents(client: Client, task: TaskJson): AsyncGenerator<object> {
  for (const run of task.runs)
    for await (const page of readPages(client, run.id))
      for (const { at, command, events } of page.lines)
        for (const event of events) yield { run: page.run, at, command, ...event };
}
