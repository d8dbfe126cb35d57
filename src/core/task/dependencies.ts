import { newEvent, type EventDraft } from "./event.ts";
import type { Option, QueuedFor, Task, WaitingFor } from "./task.ts";
import { queuedForVariants, ROUNDS, waitsForVariants, wantsVariants } from "./variants.ts";
import { terminalLine } from "../text/terminal-text.ts";

export const MAX_DEPENDENCIES = 20;
const MAX_TITLE = 60;

/** A task that must succeed before another one starts. */
export interface Dependency {
  readonly id: string;
  /** Null if it was deleted. */
  readonly task: Pick<Task, "title" | "status"> | null;
}

/** `blocked`: a dependency can no longer succeed by itself, so a person decides. */
export type DependencyCheck =
  | { readonly kind: "ready" }
  | { readonly kind: "wait"; readonly reason: string }
  | { readonly kind: "blocked"; readonly reason: string };

export function checkDependencies(dependencies: readonly Dependency[]): DependencyCheck {
  const open = dependencies.filter(({ task }) => task?.status !== "succeeded");
  if (open.length === 0) return { kind: "ready" };
  const blocked = open.filter(({ task }) => task === null || task.status === "failed" || task.status === "cancelled");
  if (blocked.length > 0)
    return { kind: "blocked", reason: `It was to start after ${blocked.map(describeDependency).join(", ")}.` };
  return { kind: "wait", reason: `It starts when ${open.map(describeDependency).join(", ")} succeeded.` };
}

function describeDependency({ id, task }: Dependency): string {
  if (task === null) return `${id}, which was deleted`;
  const title = `${id} (${terminalLine(task.title, MAX_TITLE)})`;
  return task.status === "failed" || task.status === "cancelled"
    ? `${title}, which ${task.status === "failed" ? "failed" : "was cancelled"}`
    : title;
}

export interface DependencyMove {
  readonly task: Task;
  readonly events: readonly EventDraft[];
}

/** A task whose held run may not start, with the reason: it is queued, or waits for a person. */
export function holdTask(task: Task, check: Exclude<DependencyCheck, { kind: "ready" }>, at: number): DependencyMove {
  const { reason } = check;
  if (check.kind === "wait") {
    const queuedFor: QueuedFor = { kind: "dependency", until: null, reason };
    const event = newEvent({
      at,
      task: task.id,
      type: "task.queued",
      summary: reason,
      data: { kind: queuedFor.kind, until: null },
    });
    return { task: { ...task, status: "queued", waitingFor: null, queuedFor, updatedAt: at }, events: [event] };
  }
  const waitingFor: WaitingFor = { kind: "choice", reason, options: OPTIONS, since: at, about: "dependency" };
  const event = newEvent({
    at,
    task: task.id,
    type: "task.waiting",
    summary: `waits for choice: ${reason}`,
    data: { kind: waitingFor.kind },
  });
  return { task: { ...task, status: "waiting", waitingFor, queuedFor: null, updatedAt: at }, events: [event] };
}

/** A task that waits for no other task any more. The caller wakes its run, unless it waits for its variants now. */
export function releaseTask(task: Task, at: number): Task {
  const isImplementing = wantsVariants(task) && task.counters[ROUNDS] !== undefined;
  const queuedFor = isImplementing ? queuedForVariants(task.options) : null;
  return { ...task, status: "queued", waitingFor: null, queuedFor, updatedAt: at };
}

export const START_ANYWAY = "start";

const OPTIONS: readonly Option[] = [
  { id: START_ANYWAY, title: "Start it anyway", description: "Do not wait for the other task.", recommended: false },
  { id: "reject", title: "Reject it", description: "Cancel the task.", recommended: false },
];

/** Whether a person decides about a task whose dependency did not succeed. */
export function isAboutDependency(waiting: WaitingFor | null): boolean {
  return waiting?.kind === "choice" && waiting.about === "dependency";
}

/** Whether the next run of the task is held until other tasks allow it to start. */
export function isHeld(task: Pick<Task, "queuedFor">): boolean {
  return task.queuedFor?.kind === "dependency" || waitsForVariants(task);
}

/**
 * The tasks from `id` back to itself if it waited for `after`. Null if there is no such cycle. `afterOf` returns what a task
 * still waits for.
 */
export function findCycle(
  id: string,
  after: readonly string[],
  afterOf: ReadonlyMap<string, readonly string[]>,
): readonly string[] | null {
  const seen = new Set<string>();
  const search = (path: readonly string[], next: readonly string[]): readonly string[] | null => {
    for (const each of next) {
      if (each === id) return [...path, each];
      if (seen.has(each)) continue;
      seen.add(each);
      const found = search([...path, each], afterOf.get(each) ?? []);
      if (found !== null) return found;
    }
    return null;
  };
  return search([id], after);
}
