import {
  checkDependencies,
  findCycle,
  holdTask,
  isAboutDependency,
  isHeld,
  MAX_DEPENDENCIES,
  releaseTask,
  START_ANYWAY,
  type Dependency,
  type DependencyCheck,
} from "../../core/task/dependencies.ts";
import type { Actor } from "../../core/task/event.ts";
import type { Advance } from "../../core/pipeline/advance.ts";
import { HELD } from "../../core/task/run.ts";
import { hasEnded, type Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import type { EnginePorts } from "../ports.ts";
import { outcomeOf } from "../run/step-context.ts";
import { readTask, transact, type Decision } from "../transact.ts";
import type { Choice } from "./commands-contract.ts";
import { choose, decisionEvent, requireOption } from "./decide.ts";
import { endNow } from "./task-commands.ts";
import { cleanUp } from "../run/conclude/clean-up.ts";

type ReadTasks = Pick<EnginePorts, "store">;

/** Reports all problems at once. A task that already ended is allowed: it counts, or a person decides. */
export async function requireDependencies(ports: ReadTasks, after: readonly string[]): Promise<readonly string[]> {
  const ids = [...new Set(after)];
  const dependencies = await loadDependencies(ports, ids);
  const unknown = dependencies.filter(({ task }) => task === null).map(({ id }) => id);
  const problems = [
    ...(ids.length > MAX_DEPENDENCIES
      ? [`A task can wait for at most ${MAX_DEPENDENCIES} others, not ${ids.length}.`]
      : []),
    ...(unknown.length > 0 ? [`There is no task ${unknown.join(", ")}.`] : []),
  ];
  if (problems.length === 0) return ids;
  throw new UserError(
    "invalid",
    `The task cannot wait for others: ${problems.join(" ")}`,
    '"nightshift queue" lists the tasks.',
  );
}

/** A related task may have any status. */
export async function requireRelated({ store }: ReadTasks, id: string | null): Promise<string | null> {
  if (id === null || (await store.tasks.getTask(id)) !== null) return id;
  throw new UserError("invalid", `There is no task ${id} to relate to.`, '"nightshift queue" lists the tasks.');
}

export async function checkDependenciesOf(ports: ReadTasks, { options }: Task): Promise<DependencyCheck> {
  return checkDependencies(await loadDependencies(ports, options.after ?? []));
}

function loadDependencies({ store }: ReadTasks, ids: readonly string[]): Promise<readonly Dependency[]> {
  return Promise.all(ids.map(async (id) => ({ id, task: await store.tasks.getTask(id) })));
}

/** A task that waits for others has its next run already, but the run is held. */
export async function holdForDependencies(ports: EnginePorts, begun: Advance): Promise<Advance> {
  if (begun.next === null) return begun;
  const check = await checkDependenciesOf(ports, begun.task);
  if (check.kind === "ready") return begun;
  const held = holdTask(begun.task, check, begun.task.updatedAt);
  return { task: held.task, events: [...begun.events, ...held.events], next: { ...begun.next, notBefore: HELD } };
}

/** Throws if the task would wait for itself, directly or through tasks that have not ended. */
export async function requireNoCycle({ store }: ReadTasks, id: string, after: readonly string[]): Promise<void> {
  const afterOf = new Map<string, readonly string[]>();
  // Entries that are added during the iteration are visited too.
  const open = new Set(after);
  for (const each of open) {
    const task = await store.tasks.getTask(each);
    const next = task === null || hasEnded(task) ? [] : (task.options.after ?? []);
    afterOf.set(each, next);
    for (const other of next) open.add(other);
  }
  const cycle = findCycle(id, after, afterOf);
  if (cycle === null) return;
  throw new UserError(
    "conflict",
    `${id} would wait for itself: ${cycle.join(" → ")}.`,
    "Leave out --after, or cancel the task that waits.",
  );
}

/** Chooses an option, also the one to start a task although a task that it waits for did not succeed. */
export async function chooseOption(
  ports: EnginePorts,
  id: string,
  params: Choice & { readonly actor: Actor },
): Promise<Task> {
  if (!isAboutDependency((await readTask(ports, id)).waitingFor)) return choose(ports, id, params);
  const { task } = await transact(ports, id, null, (before) => decideAboutDependency(ports, before, params));
  if (params.option !== START_ANYWAY) await cleanUp(ports, id);
  return task;
}

async function decideAboutDependency(
  ports: EnginePorts,
  before: Task,
  { option, note, actor }: Choice & { readonly actor: Actor },
): Promise<Decision> {
  requireOption(before, option);
  const text = ports.secrets.redact(terminalText(note ?? "").trim());
  if (option !== START_ANYWAY) return endNow(ports, before, text === "" ? `rejected by ${actor.name}` : text, actor);
  const summary = text === "" ? `chose ${option}` : `chose ${option}: ${text}`;
  const at = ports.clock.now();
  const released = releaseTask(before, at);
  return {
    advance: { task: released, events: [], next: null },
    events: [decisionEvent(before, outcomeOf("chosen", summary, { option }), actor, at)],
    wake: !isHeld(released),
  };
}
