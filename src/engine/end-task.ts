import { advance } from "../core/advance.ts";
import { UserError } from "../core/errors.ts";
import type { Actor } from "../core/event.ts";
import type { Facts } from "../core/pipeline.ts";
import type { Run } from "../core/run.ts";
import { hasEnded, type Task } from "../core/task.ts";
import { cleanUpTask } from "./clean-up.ts";
import { decided } from "./decide.ts";
import { pipelineOf } from "./pipeline-of.ts";
import type { EnginePorts } from "./ports.ts";
import { hasLiveJob } from "./run-jobs.ts";
import { outcomeOf } from "./steps/step.ts";
import { readTask, transact } from "./transact.ts";

type Order = "cancel" | "kill";

const PATIENCE_MS = 10_000;

/**
 * A task whose run has a live process gets the order written down; whoever watches the run passes it on, collects the
 * work and ends the task. All others end at once.
 */
export async function endTask(ports: EnginePorts, id: string, order: Order, actor: Actor): Promise<Task> {
  const task = await readTask(ports, id);
  refuseEnded(task, order);
  const live = await liveRun(ports, task);
  if (live === null) return endNow(ports, id, order, actor);
  await transact(ports, id, null, (before) => {
    refuseEnded(before, order);
    const at = ports.clock.now();
    const ordered = { ...before, order, updatedAt: at };
    return { advance: { task: ordered, events: [], next: null }, events: [decided(before, outcomeOf("cancel", order), actor, at)] };
  });
  return waitForEnd(ports, id);
}

function refuseEnded(task: Task, order: Order): void {
  if (hasEnded(task))
    throw new UserError("conflict", `${task.id} cannot be ${order === "kill" ? "killed" : "cancelled"}: it has ended (${task.status})`);
}

async function liveRun(ports: EnginePorts, task: Task): Promise<Run | null> {
  const runs = await ports.store.listRuns({ task: task.id, status: ["running", "paused"], project: null, limit: 10 });
  for (const run of runs) if (await hasLiveJob(ports, run.id)) return run;
  return null;
}

async function endNow(ports: EnginePorts, id: string, order: Order, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, async (before) => {
    refuseEnded(before, order);
    const at = ports.clock.now();
    const outcome = outcomeOf("cancel", `${order === "kill" ? "killed" : "cancelled"} by ${actor.name}`);
    const pipeline = await pipelineOf(ports, before);
    const advanced = advance({ pipeline, task: before, outcome, run: null, actor, facts: NO_FACTS, limits: {}, digest: ports.digest, at });
    return { advance: advanced, events: [decided(before, outcome, actor, at)], endOthers: { status: "cancelled", at } };
  });
  await cleanUpTask(ports, task).catch((error: unknown) => ports.log.warn("cleaning up failed; it is tried again", { task: id, error: String(error) }));
  return task;
}

/** No condition plays a part in ending a task. */
const NO_FACTS: Facts = { forge: false, design: false, auto_plan: false, auto_merge: false, auto_approve: false, skip_plan: false, git: false };

/** The order is durable by now; the caller only likes to hear how it went. */
async function waitForEnd(ports: EnginePorts, id: string): Promise<Task> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, PATIENCE_MS);
    const unsubscribe = ports.store.onEvents((events) => {
      if (events.some(({ task, type }) => task === id && type === "task.ended")) done();
    });
    function done(): void {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    }
    void readTask(ports, id).then((task) => hasEnded(task) && done(), done);
  });
  return readTask(ports, id);
}
