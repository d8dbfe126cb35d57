import { wasStarted } from "../run/run-jobs.ts";
import type { StepContext } from "../run/step-context.ts";
import { withTaskLock } from "../task-lock.ts";
import { readTask } from "../transact.ts";

const LOOK_MS = 250;

interface Publishing<T> {
  /** An agent is at it already: it is waited for, and is told of people's orders itself. */
  readonly begun: boolean;
  readonly work: () => Promise<T>;
}

/**
 * One night of a project at a time, so that of two that made the same the second finds the first one's. An agent that
 * publishes has the turn for as long as it works, or is paused: whoever waits hears people's orders meanwhile.
 * Null where people called it off.
 */
export async function publishTurn<T>(context: StepContext, publishing: Publishing<T>): Promise<T | null> {
  for (;;) {
    context.signal.throwIfAborted();
    if (!publishing.begun && (await isCancelled(context))) return null;
    const had = await tryTurn(context, publishing);
    if (had !== null) return had.result;
    await context.ports.clock.sleep(LOOK_MS, context.signal);
  }
}

/** There is no process to stop here, so people's orders are looked for just before the branch leaves the house. */
export async function isCancelled({ ports, task, signal }: StepContext): Promise<boolean> {
  for (;;) {
    const { order, status } = await readTask(ports, task.id);
    if (order !== null || status !== "paused") return order !== null;
    await ports.clock.sleep(LOOK_MS, signal);
  }
}

interface Had<T> {
  readonly result: T;
}

/** Null where it left the line, or had the turn and could not use it. */
async function tryTurn<T>(context: StepContext, { begun, work }: Publishing<T>): Promise<Had<T> | null> {
  const { ports, project, signal } = context;
  const line: { place: "waits" | "has it" | "left" } = { place: "waits" };
  const turn = withTaskLock(ports, `publish ${project.name}`, async () => {
    if (line.place === "left") return null;
    line.place = "has it";
    signal.throwIfAborted();
    if (!begun && ((await isHeldBack(context)) || (await isAnotherAtIt(context)))) return null;
    return { result: await work() };
  });
  while (isWaiting(line)) {
    await Promise.race([turn, ports.clock.sleep(LOOK_MS)]);
    const leaves = signal.aborted || (!begun && (await isHeldBack(context)));
    if (leaves && isWaiting(line)) line.place = "left";
  }
  return line.place === "left" ? null : turn;
}

/** Whoever has the turn changes it. */
function isWaiting({ place }: { readonly place: string }): boolean {
  return place === "waits";
}

/** A night that is paused in its turn would hold up the others. */
async function isHeldBack({ ports, task }: StepContext): Promise<boolean> {
  const { order, status } = await readTask(ports, task.id);
  return order !== null || status === "paused";
}

/** The turn is this daemon's; an agent that an earlier one started may still publish, and be waiting for its own turn. */
async function isAnotherAtIt({ ports, run, project }: StepContext): Promise<boolean> {
  for (const { id, role, task } of await ports.store.tasks.listOpenRuns()) {
    if (role !== "publish" || id === run.id || !(await wasStarted(ports, id))) continue;
    if ((await readTask(ports, task)).project === project.name) return true;
  }
  return false;
}
