import type { Client, TaskJson } from "../http/client/client.ts";
import { createNodeClient } from "../http/client/node-client.ts";
import { answer, type CliContext } from "./context.ts";
import { Exit } from "./exit.ts";
import { readAddress } from "./find-daemon.ts";
import { describeEvent } from "./print/event.ts";
import { LiveLine } from "./print/live-line.ts";
import { summary } from "./print/summary.ts";
import { paint } from "./print/style.ts";
import { duration } from "./print/words.ts";

/** Events after which the waiting may be over. */
const LAST_EVENTS: ReadonlySet<string> = new Set(["run.ended", "task.ended", "task.waiting"]);
const LOOK_EVERY_MS = 500;

export interface Waiting {
  readonly id: string;
  /** Events before this moment are old news to whoever waits; null: from the task's beginning. */
  readonly since: string | null;
}

/**
 * Shows the task's events as they happen, and the newest line of its agent, until it ends or waits for a person. A daemon
 * that is stopped and started again is followed to its new address. Ctrl-C ends the waiting, not the task.
 */
export async function waitForTask(context: CliContext, client: Client, { id, since }: Waiting): Promise<TaskJson> {
  const live = new LiveLine(context);
  const start = performance.now();
  const interruption = listenForInterrupt();
  let seen = 0;
  try {
    for (let current: Client | null = client; current !== null;) {
      const moved = new AbortController();
      const signal = AbortSignal.any([interruption.signal, moved.signal]);
      const next = watchAddress(context, moved);
      try {
        for await (const event of current.events({ after: seen, task: id, signal })) {
          seen = event.id;
          live.clear();
          // Older events of a task that went on since are replayed too: what counts is how it stands now.
          const settled = LAST_EVENTS.has(event.type) ? await findSettled(current, id) : null;
          if (event.level !== "debug" && (since === null || event.at >= since))
            context.tell(
              `${paint(context, "gray", duration(performance.now() - start).padStart(8))}  ${describeEvent(context, event, settled)}\n`,
            );
          if (event.type === "run.started" && event.run !== null)
            void showOutput(current, { run: event.run, live, signal });
          if (settled !== null && event.type !== "run.ended") return settled;
        }
      } finally {
        moved.abort();
      }
      current = interruption.signal.aborted ? null : await next;
    }
  } finally {
    interruption.end();
    live.clear();
  }
  return leaveRunning(context, client, id);
}

/** The answer of a command that waited: what happened, where to look, and the exit code that says so. */
export async function finishWaiting(context: CliContext, task: TaskJson): Promise<void> {
  answer(context, task, () => summary(context, task));
  if (task.status !== "succeeded") throw new Exit(task.outcome === "sandbox_refused" ? 5 : 3);
}

async function leaveRunning(context: CliContext, client: Client, id: string): Promise<never> {
  if (context.json) answer(context, await client.call("GET /tasks/:id", { params: { id } }), () => "");
  else
    process.stderr.write(
      `\n${id} goes on: nightshift display ${id} --follow watches it, nightshift cancel ${id} ends it\n`,
    );
  throw new Exit(130);
}

function listenForInterrupt(): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  process.once("SIGINT", abort);
  return { signal: controller.signal, end: () => void process.off("SIGINT", abort) };
}

/** Ends the stream when a daemon has started at another address since, and gives a client of that one. */
async function watchAddress(context: CliContext, moved: AbortController): Promise<Client | null> {
  const before = await readAddress(context);
  while (!moved.signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
    const now = await readAddress(context);
    if (now === null || now.url === before?.url) continue;
    moved.abort();
    return createNodeClient(now);
  }
  return null;
}

/** The task, if it has ended or waits for a person. */
async function findSettled(client: Client, id: string): Promise<TaskJson | null> {
  const task = await client.call("GET /tasks/:id", { params: { id } });
  return ["waiting", "succeeded", "failed", "cancelled"].includes(task.status) ? task : null;
}

async function showOutput(
  client: Client,
  { run, live, signal }: { readonly run: string; readonly live: LiveLine; readonly signal: AbortSignal },
): Promise<void> {
  try {
    for await (const page of client.output(run, { signal }))
      for (const line of page.lines)
        for (const event of line.events) if (event.type === "text" || event.type === "raw") live.show(event.text);
  } catch {
    // Only the line that tells what the agent is saying: the wait itself goes by the events.
  }
}
