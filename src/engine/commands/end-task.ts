import { advance } from "../../core/pipeline/advance.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Actor } from "../../core/task/event.ts";
import type { Facts } from "../../core/pipeline/pipeline.ts";
import { hasEnded, type Task } from "../../core/task/task.ts";
import { cleanUp } from "../run/conclude/clean-up.ts";
import { decisionEvent } from "./decide.ts";
import { pipelineOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";
import { outcomeOf } from "../run/step-context.ts";
import { readTask, transact, type Decision } from "../transact.ts";

type Order = "cancel" | "kill";

const TIMEOUT_MS = 10_000;

/**
 * Ends a task at once if none of its runs is executing. Otherwise it saves the order, and the process that executes the run
 * stops it, collects its work and ends the task.
 */
export async function endTask(ports: EnginePorts, id: string, order: Order, actor: Actor): Promise<Task> {
  const { task } = await transact(ports, id, null, async (before) => {
    if (hasEnded(before))
      throw new UserError(
        "conflict",
        `${id} cannot be ${order === "kill" ? "killed" : "cancelled"}: it has ended (${before.status}).`,
      );
    // Inside the transaction: if the task changes meanwhile, this decision is made again.
    const runs = await ports.store.tasks.listRuns({ task: id, status: ["running", "paused"], project: null, limit: 1 });
    const reason = `${order === "kill" ? "killed" : "cancelled"} by ${actor.name}`;
    return runs.length > 0 ? saveOrder(ports, before, order, actor) : endNow(ports, before, reason, actor);
  });
  if (!hasEnded(task)) return waitForEnd(ports, id);
  await cleanUp(ports, id);
  return task;
}

function saveOrder(ports: EnginePorts, before: Task, order: Order, actor: Actor): Decision {
  const at = ports.clock.now();
  const task = { ...before, order, updatedAt: at };
  return {
    advance: { task, events: [], next: null },
    events: [decisionEvent(before, outcomeOf("cancel", order), actor, at)],
  };
}

/** For a task without an executing run. */
export async function endNow(ports: EnginePorts, before: Task, reason: string, actor: Actor): Promise<Decision> {
  const at = ports.clock.now();
  const outcome = outcomeOf("cancel", reason);
  const advanced = advance({
    pipeline: await pipelineOf(ports, before),
    task: before,
    outcome,
    run: null,
    actor,
    facts: NO_FACTS,
    limits: {},
    digest: ports.digest,
    at,
  });
  return {
    advance: advanced,
    events: [decisionEvent(before, outcome, actor, at)],
    endOthers: { status: "cancelled", at },
  };
}

/** Transitions to an end have no conditions. */
const NO_FACTS: Facts = {
  forge: false,
  design: false,
  auto_plan: false,
  auto_merge: false,
  auto_approve: false,
  skip_plan: false,
  git: false,
};

/** The order is durable already. Waiting only lets the caller return the ended task in most cases. */
async function waitForEnd(ports: EnginePorts, id: string): Promise<Task> {
  const ended = Promise.withResolvers<void>();
  const waiting = new AbortController();
  const unsubscribe = ports.store.events.onEvents((events) => {
    if (events.some(({ task, type }) => task === id && type === "task.ended")) ended.resolve();
  });
  try {
    // The task may have ended before the subscription started.
    if (!hasEnded(await readTask(ports, id)))
      await Promise.race([ended.promise, ports.clock.sleep(TIMEOUT_MS, waiting.signal)]);
  } finally {
    waiting.abort();
    unsubscribe();
  }
  return readTask(ports, id);
}
