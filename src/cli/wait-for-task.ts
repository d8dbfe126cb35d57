import type { Client, TaskJson } from "../http/client/client.ts";
import { printResult, type CliContext } from "./context.ts";
import { Exit } from "./exit.ts";
import { describeEvent } from "./print/event.ts";
import { LiveLine } from "./print/live-line.ts";
import { summary } from "./print/summary.ts";
import { paint } from "./print/style.ts";
import { surviveRestarts, type FollowingClient } from "./survive-restarts.ts";
import { taskLine } from "./print/task.ts";
import { duration } from "./print/words.ts";

/** Events after which the task may have ended or may wait for a person. */
const LAST_EVENTS: ReadonlySet<string> = new Set(["run.ended", "task.ended", "task.waiting"]);

export interface WaitOptions {
  readonly id: string;
  /** Earlier events are not printed. Null prints all events of the task. */
  readonly since: string | null;
}

/**
 * Shows the task's events as they happen, and the latest line of its agent, until it ends or waits for a person.
 * Continues after a restart of the daemon. Ctrl-C ends only the wait, not the task.
 */
export async function waitForTask(context: CliContext, client: Client, { id, since }: WaitOptions): Promise<TaskJson> {
  const live = new LiveLine(context);
  const start = performance.now();
  const interruption = listenForInterrupt();
  const daemon = surviveRestarts(context, client);
  const { signal } = interruption;
  try {
    for await (const event of daemon.events({ after: 0, task: id, signal })) {
      live.clear();
      // The stream replays old events, and the task may have continued since. So check its current status.
      const settled = LAST_EVENTS.has(event.type) ? await findSettled(daemon, id) : null;
      if (event.level !== "debug" && (since === null || event.at >= since))
        context.progress(
          `${paint(context, "gray", duration(performance.now() - start).padStart(8))}  ${describeEvent(context, event, settled)}\n`,
        );
      if (event.type === "run.started" && event.run !== null) void showOutput(daemon, { run: event.run, live, signal });
      if (settled !== null && event.type !== "run.ended") return settled;
    }
  } finally {
    interruption.end();
    live.clear();
  }
  return leaveRunning(context, client, id);
}

export interface ReportOptions {
  readonly wait: boolean | undefined;
  readonly since: WaitOptions["since"];
}

/** Prints the task. With `--wait`, waits first, then prints its summary and sets the exit code. */
export async function reportTask(
  context: CliContext,
  client: Client,
  task: TaskJson,
  { wait = false, since }: ReportOptions,
): Promise<void> {
  if (!wait) return printResult(context, task, () => taskLine(context, task));
  if (since === null) context.progress(taskLine(context, task));
  const settled = await waitForTask(context, client, { id: task.id, since });
  printResult(context, settled, () => summary(context, settled));
  if (settled.status !== "succeeded") throw new Exit(settled.outcome === "sandbox_refused" ? 5 : 3);
}

/** The task has ended or waits for a person. */
export function isSettled({ status }: TaskJson): boolean {
  return ["waiting", "succeeded", "failed", "cancelled"].includes(status);
}

async function leaveRunning(context: CliContext, client: Client, id: string): Promise<never> {
  if (context.json) printResult(context, await client.call("GET /tasks/:id", { params: { id } }), () => "");
  else
    process.stderr.write(
      `\n${id} is still running. Run "nightshift display ${id} --follow" to watch it or "nightshift cancel ${id}" to end it.\n`,
    );
  throw new Exit(130);
}

function listenForInterrupt(): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  process.once("SIGINT", abort);
  return { signal: controller.signal, end: () => void process.off("SIGINT", abort) };
}

async function findSettled(client: FollowingClient, id: string): Promise<TaskJson | null> {
  const task = await client.call("GET /tasks/:id", { params: { id } });
  return isSettled(task) ? task : null;
}

async function showOutput(
  client: FollowingClient,
  { run, live, signal }: { readonly run: string; readonly live: LiveLine; readonly signal: AbortSignal },
): Promise<void> {
  try {
    for await (const page of client.output(run, { signal }))
      for (const line of page.lines)
        for (const event of line.events) if (event.type === "text" || event.type === "raw") live.show(event.text);
  } catch {
    // This is only the progress line. The wait itself depends on the events.
  }
}
