import { allow, limitsAt, type Allowance } from "../../core/money/budget.ts";
import { storedPayload } from "../../core/outcomes/stored-outcome.ts";
import { utcMinute } from "../../core/schedule/schedule.ts";
import type { QueueReason, Task } from "../../core/task/task.ts";
import type { Project } from "../../ports/store.ts";
import type { EnginePorts } from "../ports.ts";
import { listAllTasks } from "../task-pages.ts";
import { transact } from "../transact.ts";
import { wakeTask } from "../wake-task.ts";
import { probeAfterLogin } from "./parked-agents.ts";

const MAX_RUNS = 1_000;

/**
 * Wakes tasks that wait for their budget window if budget is available earlier: a limit was raised or removed, or a run with
 * a reservation has ended.
 */
export async function wakeParked(ports: EnginePorts): Promise<void> {
  const parked = await listParked(ports, "budget");
  for (const [name, tasks] of Map.groupBy(parked, ({ project }) => project)) {
    const allowance = await getAllowance(ports, await ports.store.projects.getProject(name));
    for (const task of tasks) {
      if (allowance === null || !(await hasEnoughBudget(ports, task, allowance))) continue;
      await wake(ports, task, "budget", "budget is available again");
      // The woken task may use all of the rest, so the next call decides about the others.
      if (allowance.kind !== "allowed" || allowance.usd !== null) break;
    }
  }
}

/** Returns work that wakes the agents and tasks that wait for a login: after the start of the daemon, and after each change of a stored key. */
export function createLoginWake(ports: EnginePorts): () => Promise<void> {
  let seen: string | null = null;
  return async () => {
    const version = ports.host.keysVersion();
    if (version === seen) return;
    const reason = seen === null ? "the daemon was started" : "a key was changed";
    await probeAfterLogin(ports, reason);
    for (const task of await listParked(ports, "login")) await wake(ports, task, "login", "a key may have changed");
    seen = version;
  };
}

/** Wakes tasks when the daemon starts, because a person may have fixed what they wait for. */
export async function wakeAfterRestart(ports: EnginePorts): Promise<void> {
  for (const kind of ["remote", "machine"] as const)
    for (const task of await listParked(ports, kind)) await wake(ports, task, kind, "the daemon was restarted");
}

async function listParked({ store, clock }: EnginePorts, queuedFor: QueueReason): Promise<readonly Task[]> {
  const queued = await listAllTasks({ store }, { status: ["queued"], queuedFor });
  return queued.filter((task) => isParked(task, queuedFor, clock.now()));
}

function isParked({ status, queuedFor }: Task, kind: QueueReason, now: number): boolean {
  // A task that waits for a parked agent starts together with the agent.
  if (queuedFor?.agent !== undefined) return false;
  return status === "queued" && queuedFor?.kind === kind && (queuedFor.until ?? 0) > now;
}

/** Null if unknown: the project was removed, or it never had valid settings. */
async function getAllowance(
  { store, projects, clock }: EnginePorts,
  project: Project | null,
): Promise<Allowance | null> {
  const settings = project === null ? null : await projects.lastGood(project).catch(() => null);
  if (project === null || settings === null) return null;
  return allow(await store.money.listUse(limitsAt({ ...settings, project: project.name, at: clock.now() })), null);
}

/**
 * A run that was cut off needs more than it had reserved, or it would be cut off again. A task that waits for change requests
 * to be merged does not wait for budget.
 */
async function hasEnoughBudget({ store }: EnginePorts, { id }: Task, allowance: Allowance): Promise<boolean> {
  if (allowance.kind !== "allowed") return false;
  const runs = await store.tasks.listRuns({ task: id, status: null, project: null, limit: MAX_RUNS });
  const ended = runs.filter(({ finishedAt }) => finishedAt !== null);
  const last = ended.at(-1);
  if (storedPayload(last, "night_over")?.open !== undefined) return false;
  const reserved = Math.max(
    0,
    ...ended.filter(({ state }) => state === last?.state).map((run) => run.reservedUsd ?? 0),
  );
  return allowance.usd === null || allowance.usd > reserved;
}

async function wake(ports: EnginePorts, { id }: Task, kind: QueueReason, reason: string): Promise<void> {
  await transact(ports, id, null, (before) => {
    const at = ports.clock.now();
    // It may have started or been paused meanwhile.
    if (!isParked(before, kind, at)) return { advance: { task: before, events: [], next: null } };
    const until = before.queuedFor?.until ?? at;
    return wakeTask(ports, before, `${reason}: it no longer waits until ${utcMinute(until)}`);
  });
}
