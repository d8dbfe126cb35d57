import { advance } from "../../core/pipeline/advance.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Actor } from "../../core/task/event.ts";
import type { Facts } from "../../core/pipeline/pipeline.ts";
import { hasEnded, type Task } from "../../core/task/task.ts";
import { cleanUp } from "../run/conclude/clean-up.ts";
import { decided } from "./decide.ts";
import { pipelineOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";
import { outcomeOf } from "../run/step-context.ts";
import { readTask, transact, type Decision } from "../transact.ts";

type Order = "cancel" | "kill";

const PATIENCE_MS = 10_000;

/**
 * A task whose run somebody has taken gets the order written down; whoever has the run sees to it, collects the work and
 * ends the task. All others end at once.
 */
export async function endTask(ports: EnginePorts, id: string, order: Order, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, async (before) => {
    if (hasEnded(before))
      throw new UserError(
        "conflict",
        `${id} cannot be ${order === "kill" ? "killed" : "cancelled"}: it has ended (${before.status})`,
      );
    // Decided anew whenever the task changed in between: an order must not land on a task that has moved on.
    const taken = await ports.store.tasks.listRuns({
      task: id,
      status: ["running", "paused"],
      project: null,
      limit: 1,
    });
    const why = `${order === "kill" ? "killed" : "cancelled"} by ${actor.name}`;
    return taken.length > 0 ? writeOrder(ports, before, order, actor) : endNow(ports, before, why, actor);
  });
  if (!hasEnded(task)) return waitForEnd(ports, id);
  await cleanUp(ports, id);
  return task;
}

function writeOrder(ports: EnginePorts, before: Task, order: Order, actor: Actor): Decision {
  const at = ports.clock.now();
  const task = { ...before, order, updatedAt: at };
  return {
    advance: { task, events: [], next: null },
    events: [decided(before, outcomeOf("cancel", order), actor, at)],
  };
}

/** For a task whose run nobody has taken. */
export async function endNow(ports: EnginePorts, before: Task, why: string, actor: Actor): Promise<Decision> {
  const at = ports.clock.now();
  const outcome = outcomeOf("cancel", why);
  const pipeline = await pipelineOf(ports, before);
  const advanced = advance({
    pipeline,
    task: before,
    outcome,
    run: null,
    actor,
    facts: NO_FACTS,
    limits: {},
    digest: ports.digest,
    at,
  });
  return { advance: advanced, events: [decided(before, outcome, actor, at)], endOthers: { status: "cancelled", at } };
}

/** No condition plays a part in ending a task. */
const NO_FACTS: Facts = {
  forge: false,
  design: false,
  auto_plan: false,
  auto_merge: false,
  auto_approve: false,
  skip_plan: false,
  git: false,
};

/** The order is durable by now; the caller only likes to hear how it went. */
async function waitForEnd(ports: EnginePorts, id: string): Promise<Task> {
  const ended = Promise.withResolvers<void>();
  const waiting = new AbortController();
  const unsubscribe = ports.store.events.onEvents((events) => {
    if (events.some(({ task, type }) => task === id && type === "task.ended")) ended.resolve();
  });
  try {
    // Heard from here on; what ended before is seen by looking.
    if (!hasEnded(await readTask(ports, id)))
      await Promise.race([ended.promise, ports.clock.sleep(PATIENCE_MS, waiting.signal)]);
  } finally {
    waiting.abort();
    unsubscribe();
  }
  return readTask(ports, id);
}
