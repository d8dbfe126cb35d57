import { LeaseLostError } from "../../core/text/errors.ts";
import type { Event } from "../../core/task/event.ts";
import type { Task } from "../../core/task/task.ts";
import type { CommandProgress, Job, JobResult } from "../../ports/supervisor.ts";
import { StepEnd, type StepContext } from "./step-context.ts";
import { readTask } from "../transact.ts";

export interface JobListeners {
  /** Called directly before a new job starts. */
  readonly onStart?: (() => Promise<void>) | undefined;
  /** Called whenever the transcript grew. */
  readonly onOutput?: () => void;
  /** Called for each start and end of a command, from the first one on. */
  readonly onProgress?: ((progress: CommandProgress) => void) | undefined;
}

/**
 * Starts a job, or attaches to the one that an earlier call started, and waits for its end. People's orders (pause, resume,
 * cancel, kill) are stored in the task. They are forwarded to the supervisor as they arrive, and once at the start for
 * those that arrived while no daemon was watching.
 */
export async function supervise(
  context: StepContext,
  job: Job,
  { onStart = async () => undefined, ...listeners }: JobListeners = {},
): Promise<JobResult> {
  const { ports, run, lease } = context;
  const task = await readTask(ports, run.task);
  const wasStarted = await ports.supervisors.wasStarted(job.dir);
  if (task.order !== null && !wasStarted) throw new StepEnd("cancel", "cancelled before it started");
  // A run that was cancelled while its workspace was created must not start a process.
  if (!(await ports.store.tasks.holdsLease(lease)))
    throw new LeaseLostError(`run ${run.id} was ended or taken over before its job started`);
  const problem = job.sandbox === "enforce" && !wasStarted ? await ports.sandbox.findProblem() : null;
  if (problem !== null) throw new StepEnd("sandbox_refused", problem);
  const paused = task.status === "paused";
  if (!wasStarted) await onStart();
  await ports.supervisors.start({ ...job, paused });
  ports.hooks.passCheckpoint("supervisor.started");
  return watchJob(context, job.dir, wasStarted ? null : paused, listeners);
}

/**
 * Waits for the end of a started job. `paused`: whether its processes are stopped; null if unknown because an earlier
 * daemon started it. The supervisor then gets the current order in any case.
 */
export async function watchJob(
  context: StepContext,
  dir: string,
  paused: boolean | null,
  { onOutput = () => undefined, onProgress }: Omit<JobListeners, "onStart"> = {},
): Promise<JobResult> {
  const { ports, run, signal } = context;
  const orders = followOrders(context, dir, paused);
  const handleOutput = (): void => {
    ports.hooks.onOutput(run.id);
    onOutput();
  };
  try {
    await orders.applyOrders();
    return await ports.supervisors.watch(dir, { signal, onOutput: handleOutput, onProgress });
  } finally {
    await orders.stop();
  }
}

/** Forwards the task's orders to the supervisor, one at a time. */
function followOrders(
  { ports, run, lease }: StepContext,
  dir: string,
  initiallyPaused: boolean | null,
): { applyOrders(): Promise<void>; stop(): Promise<void> } {
  let paused = initiallyPaused;
  let queue = Promise.resolve();
  const obey = (): Promise<void> => {
    queue = queue.then(applyCurrentOrder).catch((error: unknown) => {
      ports.log.warn("an order could not be sent to the supervisor", { run: run.id, error: String(error) });
    });
    return queue;
  };
  const unsubscribe = ports.store.events.onEvents((events) => {
    if (events.some((event) => isOrderEvent(event, run.task))) void obey();
  });
  return {
    applyOrders: obey,
    stop: async () => {
      unsubscribe();
      await queue;
    },
  };

  async function applyCurrentOrder(): Promise<void> {
    const task = await ports.store.tasks.getTask(run.task);
    if (task === null) return;
    if (task.order !== null) await ports.supervisors.control(dir, task.order === "kill" ? "kill" : "stop");
    else await applyPauseState(task);
  }

  async function applyPauseState({ status }: Task): Promise<void> {
    const shouldPause = status === "paused";
    if (shouldPause === paused) return;
    if (!(await ports.supervisors.control(dir, shouldPause ? "pause" : "resume"))) return;
    paused = shouldPause;
    await ports.store.tasks.updateRun(lease, { status: shouldPause ? "paused" : "running" });
  }
}

function isOrderEvent(event: Event, task: string): boolean {
  return event.task === task && ["task.paused", "task.resumed", "task.decided"].includes(event.type);
}
