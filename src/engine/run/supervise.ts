import { LeaseLostError } from "../../core/text/errors.ts";
import type { Event } from "../../core/task/event.ts";
import type { Task } from "../../core/task/task.ts";
import type { Job, JobResult } from "../../ports/supervisor.ts";
import { StepEnd, type StepContext } from "./step-context.ts";
import { readTask } from "../transact.ts";

/**
 * Starts a job, or finds the one that an earlier call started, and stays with it to its end. People's orders
 * (pause, resume, cancel, kill) stand in the task; they are passed on as they come and once at the start,
 * for those that came while nobody was watching. `onStart` is called when nothing stands in the way of a start any more.
 */
export async function supervise(
  context: StepContext,
  job: Job,
  onStart: () => Promise<void> = async () => undefined,
): Promise<JobResult> {
  const { ports, run, lease } = context;
  const task = await readTask(ports, run.task);
  const begun = await ports.supervisors.wasStarted(job.dir);
  if (task.order !== null && !begun) throw new StepEnd("cancel", "ended before it was started");
  // A run that was cancelled while its workspace was being made must not start a process any more.
  if (!(await ports.store.tasks.holdsLease(lease)))
    throw new LeaseLostError(`run ${run.id} is no longer ours to start`);
  const problem = job.sandbox === "enforce" && !begun ? await ports.sandbox.findProblem() : null;
  if (problem !== null) throw new StepEnd("sandbox_refused", problem);
  const paused = task.status === "paused";
  if (!begun) await onStart();
  await ports.supervisors.start({ ...job, paused });
  ports.hooks.passCheckpoint("supervisor.started");
  return watchJob(context, job.dir, begun ? null : paused);
}

/**
 * Stays with a job that was started, by whomever. `paused`: whether its tree is stopped; null where nobody knows, as with
 * a supervisor that an earlier daemon started: it is told.
 */
export async function watchJob(context: StepContext, dir: string, paused: boolean | null): Promise<JobResult> {
  const { ports, run, signal } = context;
  const orders = followOrders(context, dir, paused);
  try {
    await orders.obey();
    return await ports.supervisors.watch(dir, { signal, onOutput: () => ports.hooks.onOutput(run.id) });
  } finally {
    await orders.stop();
  }
}

/** Keeps the supervisor at what the task says, one order after the other. */
function followOrders(
  { ports, run, lease }: StepContext,
  dir: string,
  known: boolean | null,
): { obey(): Promise<void>; stop(): Promise<void> } {
  let paused = known;
  let turn = Promise.resolve();
  const obey = (): Promise<void> => {
    turn = turn.then(follow).catch((error: unknown) => {
      ports.log.warn("an order did not reach the supervisor", { run: run.id, error: String(error) });
    });
    return turn;
  };
  const unsubscribe = ports.store.events.onEvents((events) => {
    if (events.some((event) => concerns(event, run.task))) void obey();
  });
  return {
    obey,
    stop: async () => {
      unsubscribe();
      await turn;
    },
  };

  async function follow(): Promise<void> {
    const task = await ports.store.tasks.getTask(run.task);
    if (task === null) return;
    if (task.order !== null) await ports.supervisors.control(dir, task.order === "kill" ? "kill" : "stop");
    else await keepPace(task);
  }

  async function keepPace({ status }: Task): Promise<void> {
    const wanted = status === "paused";
    if (wanted === paused) return;
    if (!(await ports.supervisors.control(dir, wanted ? "pause" : "resume"))) return;
    paused = wanted;
    await ports.store.tasks.updateRun(lease, { status: wanted ? "paused" : "running" });
  }
}

function concerns(event: Event, task: string): boolean {
  return event.task === task && ["task.paused", "task.resumed", "task.decided"].includes(event.type);
}
