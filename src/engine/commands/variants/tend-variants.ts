import { least } from "../../../core/settings/resolve-run.ts";
import { newEvent, SYSTEM, type Actor, type EventDraft } from "../../../core/task/event.ts";
import { holdForFiles } from "../../../core/task/overlap.ts";
import { hasEnded, type AgentChoice, type Task } from "../../../core/task/task.ts";
import {
  areDecidable,
  describeChoice,
  queuedForVariants,
  shareOfBudget,
  variantKeys,
  waitsForVariants,
} from "../../../core/task/variants.ts";
import { UserError } from "../../../core/text/errors.ts";
import { admissionNow, type EnginePorts } from "../../ports.ts";
import { findOverlap } from "../../overlap.ts";
import { enqueueRuns, toNewRun, transact, withFilesLock, type Decision } from "../../transact.ts";
import { listPaidRuns, listVariants, loadVariants } from "../../variants.ts";
import { endTask, pause, resume, type Order } from "../task-commands.ts";

/**
 * Brings the variants of a task in line with the task: creates them, pauses and resumes them with it, ends those that it does
 * not wait for, and lets it go on when they have ended. Depends only on the store, so it can be repeated at any time.
 */
export async function tendVariants(ports: EnginePorts, task: Task): Promise<void> {
  if (waitsForVariants(task) && task.status === "queued") await createMissing(ports, task);
  const current = waitsForVariants(task) ? await loadVariants(ports, task) : [];
  const wanted = new Set(current.map((variant) => variant?.id));
  for (const variant of await listOpenVariants(ports, task)) {
    if (wanted.has(variant.id)) await followPause(ports, task, variant);
    else await endVariant(ports, variant.id, "cancel", SYSTEM);
  }
  if (!(await canGoOn(ports, task))) return;
  await transact(ports, task.id, null, async (before) =>
    (await canGoOn(ports, before)) ? goOn(ports, before) : { advance: { task: before, events: [], next: null } },
  );
}

/** It may end by itself at the same moment. */
export async function endVariant(ports: EnginePorts, id: string, order: Order, actor: Actor): Promise<void> {
  await unlessConflict(endTask(ports, id, order, actor));
}

async function listOpenVariants(ports: EnginePorts, task: Task): Promise<readonly Task[]> {
  return (await listVariants(ports, task)).filter((variant) => !hasEnded(variant));
}

async function followPause(ports: EnginePorts, task: Task, variant: Task): Promise<void> {
  if ((task.status === "paused") === (variant.status === "paused")) return;
  await unlessConflict((task.status === "paused" ? pause : resume)(ports, variant.id, SYSTEM));
}

async function unlessConflict(change: Promise<unknown>): Promise<void> {
  await change.catch((error: unknown) => {
    if (!(error instanceof UserError) || error.kind !== "conflict") throw error;
  });
}

async function canGoOn(ports: EnginePorts, task: Task): Promise<boolean> {
  if (task.status !== "queued" || !waitsForVariants(task)) return false;
  const variants = await loadVariants(ports, task);
  const known = variants.filter((variant) => variant !== null);
  return known.length === variants.length && areDecidable(known, ports.clock.now());
}

function goOn(ports: EnginePorts, task: Task): Decision {
  const at = ports.clock.now();
  const event = newEvent({ at, task: task.id, type: "run.note", summary: "its variants can be compared now" });
  return { advance: { task: { ...task, queuedFor: null, updatedAt: at }, events: [event], next: null }, wake: true };
}

/** Waits while another task works on the files of the plan, as every task does before it changes files. */
async function createMissing(ports: EnginePorts, task: Task): Promise<void> {
  if (!(await loadVariants(ports, task)).includes(null)) return;
  await withFilesLock(ports, async () => {
    const overlap = await findOverlap(ports, task);
    const at = ports.clock.now();
    const reason = overlap === null ? null : holdForFiles(task, overlap, at).task.queuedFor?.reason;
    await showReason(ports, task, reason ?? queuedForVariants(task.options).reason);
    if (overlap === null) await createVariants(ports, task);
  });
}

async function showReason(ports: EnginePorts, { id, queuedFor }: Task, reason = ""): Promise<void> {
  if (queuedFor?.reason === reason) return;
  await transact(ports, id, null, (before) => ({
    advance: {
      task: waitsForVariants(before)
        ? { ...before, queuedFor: { ...queuedForVariants(before.options), reason } }
        : before,
      events: [],
      next: null,
    },
  }));
}

async function createVariants(ports: EnginePorts, task: Task): Promise<void> {
  const found = await loadVariants(ports, task);
  const [held] = await ports.store.tasks.listRuns({ task: task.id, status: ["queued"], project: null, limit: 1 });
  if (held === undefined) return;
  const { bestOf = [] } = task.options;
  const budgetUsd = await findShare(ports, task);
  const keys = variantKeys(task);
  for (const [index, implementer] of bestOf.entries()) {
    if (found[index] !== null) continue;
    const variant = makeVariant(ports, task, { implementer, number: index + 1, budgetUsd });
    const first = { state: held.state, step: held.step, role: "implement", attempt: 1, notBefore: null } as const;
    const result = await ports.store.tasks.createTask({
      task: variant,
      run: await toNewRun(ports, variant, { ...first, trigger: held.trigger }),
      events: createdEvents(task, variant),
      notices: [],
      key: keys[index] ?? null,
      admission: admissionNow(ports),
      requireProject: true,
    });
    ports.hooks.passCheckpoint("submit.committed");
    await enqueueRuns(ports, result);
  }
}

/** The variants share the rest of the task's budget. */
async function findShare(ports: EnginePorts, task: Task): Promise<number | null> {
  const project = await ports.store.projects.getProject(task.project);
  const settings = project === null ? null : await ports.projects.lastGood(project);
  const limitUsd = least([task.options.budgetUsd, settings?.budget.taskUsd ?? null]);
  const costs = (await listPaidRuns(ports, task)).map(({ costUsd }) => costUsd);
  return shareOfBudget(limitUsd, costs, task.options.bestOf?.length ?? 0);
}

interface VariantParams {
  readonly implementer: AgentChoice;
  readonly number: number;
  readonly budgetUsd: number | null;
}

/** A copy of the task that knows everything that the task knows, and starts where the task waits. */
function makeVariant(ports: EnginePorts, task: Task, { implementer, number, budgetUsd }: VariantParams): Task {
  const at = ports.clock.now();
  const { bestOf: _bestOf, after: _after, until: _until, ...options } = task.options;
  return {
    ...task,
    id: ports.clock.newId("task"),
    version: 1,
    status: "queued",
    queuedFor: null,
    options: { ...options, budgetUsd, implementer, variantOf: { task: task.id, number } },
    counters: {},
    order: null,
    createdAt: at,
    updatedAt: at,
  };
}

function createdEvents(task: Task, variant: Task): readonly EventDraft[] {
  const { implementer, variantOf } = variant.options;
  const agent = implementer === undefined ? "" : describeChoice(implementer);
  const at = variant.createdAt;
  const summary = `variant ${variantOf?.number ?? "?"} by ${agent}`;
  const data = { variant: variant.id, number: variantOf?.number, agent };
  return [
    newEvent({ at, task: task.id, type: "run.note", summary: `${summary}: ${variant.id}`, data }),
    newEvent({
      at,
      task: variant.id,
      type: "task.submitted",
      summary: `${summary} of ${task.id}`,
      data: { pipeline: variant.pipeline, project: variant.project, state: variant.state },
    }),
  ];
}
