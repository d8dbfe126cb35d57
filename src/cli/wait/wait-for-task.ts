import type { Client, TaskJson } from "../../http/client/client.ts";
import { findHome, homePaths } from "../../config/files/paths.ts";
import { printResult, type CliContext } from "../context.ts";
import { Exit } from "../exit.ts";
import { describeEvent } from "../print/event.ts";
import { formatNextSteps, nextSteps } from "../print/task/next-steps.ts";
import { hasStopped } from "../print/task/task.ts";
import { describeResults } from "../print/task/results.ts";
import { summary } from "../print/task/summary.ts";
import { paint } from "../print/terminal/style.ts";
import { taskLine } from "../print/task/task.ts";
import { duration } from "../print/terminal/words.ts";
import { findReviewCommand } from "./review-command.ts";
import { openLiveStatus } from "./live-status.ts";
import { surviveRestarts, type FollowingClient } from "./survive-restarts.ts";

/** Events after which the task may have ended or may wait for a person. */
const LAST_EVENTS: ReadonlySet<string> = new Set([
  "run.ended",
  "task.ended",
  "task.waiting",
  "task.paused",
  "task.returned",
]);

export interface WaitOptions {
  readonly id: string;
  /** Earlier events are not printed. Null prints all events of the task. */
  readonly since: string | null;
}

/**
 * Shows the task's events as they happen, and on a terminal what it does now, until it ends or waits for a person.
 * Continues after a restart of the daemon. Ctrl-C ends only the wait, not the task.
 */
export async function waitForTask(context: CliContext, client: Client, { id, since }: WaitOptions): Promise<TaskJson> {
  const start = performance.now();
  const { runs: runsDir } = homePaths(await findHome(context.env));
  const live = openLiveStatus(context, { id, start, runsDir });
  const print = (text: string): void => {
    live.clear();
    context.progress(text);
  };
  const interruption = listenForInterrupt();
  const daemon = surviveRestarts({ ...context, progress: print }, client);
  const { signal } = interruption;
  try {
    for await (const event of daemon.events({ after: 0, task: id, signal })) {
      // The stream replays old events, and the task may have continued since. So check its current status.
      const settled = LAST_EVENTS.has(event.type) ? await findSettled(daemon, id, signal) : null;
      if (event.level !== "debug" && (since === null || event.at >= since))
        print(
          `${paint(context, "gray", duration(performance.now() - start).padStart(8))}  ${describeEvent(context, event, settled)}\n`,
        );
      if (settled !== null && event.type !== "run.ended") return settled;
      live.refresh(daemon, event);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    interruption.end();
    live.close();
  }
  return leaveRunning(context, client, id);
}

export interface ReportOptions {
  readonly wait: boolean | undefined;
  readonly since: WaitOptions["since"];
  /** Whether to print the next steps of a task that continues. Default: true. */
  readonly next?: boolean;
  /** Whether the wait ended with what was requested. Default: the task succeeded, or stopped where it should. */
  readonly isDone?: (task: TaskJson) => boolean;
}

/** Prints the task and the next steps. With `--wait`, waits first, then prints its summary and sets the exit code. */
export async function reportTask(
  context: CliContext,
  client: Client,
  task: TaskJson,
  { wait = false, since, next = true, isDone = hasSucceeded }: ReportOptions,
): Promise<void> {
  if (!wait) {
    // A night without a category for today succeeds at once, and only the summary says why it did nothing.
    printResult(context, task, () => (task.status === "succeeded" ? summary : taskLine)(context, task));
    return context.progress(next ? formatNextSteps(nextSteps(task, null)) : "");
  }
  if (since === null) context.progress(taskLine(context, task));
  await reportSettled(context, client, await waitForTask(context, client, { id: task.id, since }), isDone);
}

/** Prints the summary and the next steps of a task that ended or waits for a person, and sets the exit code. */
export async function reportSettled(
  context: CliContext,
  client: Client,
  settled: TaskJson,
  isDone: (task: TaskJson) => boolean = hasSucceeded,
): Promise<void> {
  // People wait for the answer of a staged task, not for a summary.
  const describe = isAnswered(settled) ? describeResults : summary;
  printResult(context, settled, () => describe(context, settled));
  const review = await findReviewCommand(context, surviveRestarts(context, client), settled);
  context.progress(formatNextSteps(nextSteps(settled, review)));
  if (!isDone(settled)) throw new Exit(settled.outcome === "sandbox_refused" ? 5 : 3);
}

function isAnswered({ status, runs }: TaskJson): boolean {
  return status === "succeeded" && runs.some(({ role }) => role === "execute");
}

function hasSucceeded(task: TaskJson): boolean {
  return task.status === "succeeded" || hasStopped(task);
}

/** The task has ended, waits for a person, or stopped as requested. */
export function isSettled(task: TaskJson): boolean {
  const settled = ["waiting", "succeeded", "failed", "cancelled"];
  return settled.includes(task.status) || (task.status === "paused" && hasStopped(task));
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

async function findSettled(client: FollowingClient, id: string, signal: AbortSignal): Promise<TaskJson | null> {
  const task = await client.call("GET /tasks/:id", { params: { id }, signal });
  return isSettled(task) ? task : null;
}
