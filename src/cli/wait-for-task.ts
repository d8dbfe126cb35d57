import { terminalLine, terminalText } from "../core/terminal-text.ts";
import type { Client, EventJson, TaskJson } from "../http/client.ts";
import { answer, type CliContext } from "./context.ts";
import { Exit } from "./exit.ts";
import { LiveLine } from "./print/live-line.ts";
import { describeWaiting, taskLine } from "./print/task.ts";
import { paint } from "./print/style.ts";
import { duration, money, plural } from "./print/words.ts";

const MAX_LINE = 160;

/** Shows the task's events as they happen, and the newest line of its agent, until it ends or waits for a person. */
export async function waitForTask(context: CliContext, client: Client, id: string): Promise<TaskJson> {
  const stop = new AbortController();
  const live = new LiveLine(context);
  const start = performance.now();
  try {
    for await (const event of client.events({ after: 0, task: id, signal: stop.signal })) {
      live.clear();
      context.tell(`${paint(context, "gray", duration(performance.now() - start).padStart(8))}  ${describe(context, event)}\n`);
      if (event.type === "run.started" && event.run !== null) void showOutput(client, event.run, live, stop.signal);
      if (event.type !== "task.ended" && event.type !== "task.waiting") continue;
      // Older events of a task that went on since are replayed too: what counts is how it stands now.
      const task = await client.call("GET /tasks/:id", { params: { id } });
      if (isSettled(task)) return task;
    }
  } finally {
    stop.abort();
    live.clear();
  }
  return client.call("GET /tasks/:id", { params: { id } });
}

/** The answer of a command that waited: what happened, where to look, and the exit code that says so. */
export async function finishWaiting(context: CliContext, task: TaskJson): Promise<void> {
  answer(context, task, () => summary(context, task));
  if (task.status !== "succeeded") throw new Exit(task.outcome === "sandbox_refused" ? 5 : 3);
}

export function summary(context: CliContext, task: TaskJson): string {
  const branch = task.artifacts.find(({ type }) => type === "branch");
  const diff = task.artifacts.find(({ type }) => type === "diff");
  const facts = [
    `${plural(task.runs.length, "run")} in ${duration(task.duration_ms)}, cost ${money(task.cost_usd, task.unknown_cost ?? 0)}`,
    ...(diff === undefined ? [] : [`change: ${diff.label}`]),
    ...(branch === undefined ? [] : [`branch: ${branch.label}`]),
    ...(task.reason === null || task.status === "succeeded" ? [] : [`reason: ${terminalText(task.reason)}`]),
  ];
  return `${taskLine(context, task)}${facts.map((fact) => `  ${fact}\n`).join("")}${describeWaiting(task)}`;
}

function isSettled({ status }: TaskJson): boolean {
  return ["waiting", "succeeded", "failed", "cancelled"].includes(status);
}

function describe(context: CliContext, event: EventJson): string {
  const text = terminalLine(event.summary, MAX_LINE);
  return event.level === "error" ? paint(context, "red", text) : event.level === "warning" ? paint(context, "yellow", text) : text;
}

async function showOutput(client: Client, run: string, live: LiveLine, signal: AbortSignal): Promise<void> {
  try {
    for await (const page of client.output(run, { signal }))
      for (const line of page.lines) for (const event of line.events) if (event.type === "text" || event.type === "raw") live.show(event.text);
  } catch {
    // Only the line that tells what the agent is saying: the wait itself goes by the events.
  }
}
