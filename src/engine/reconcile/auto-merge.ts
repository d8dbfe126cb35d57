import { newEvent, SYSTEM } from "../../core/task/event.ts";
import { parkDelayMs } from "../../core/task/retry.ts";
import type { MergeProblem, Task } from "../../core/task/task.ts";
import { ConfigError, ForgeError, MachineError, RemoteError, UserError } from "../../core/text/errors.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Project } from "../../ports/store.ts";
import { findCandidate, loadMergeContext } from "../merge/find-candidate.ts";
import { finishMerge } from "../merge/finish-merge.ts";
import { performMerge } from "../merge/perform-merge.ts";
import type { EnginePorts } from "../ports.ts";
import { readTask, transact, withTaskLock } from "../transact.ts";

const MAX_TASKS = 200;
const MAX_TRIES = 5;
/** CI systems start a moment after the push. */
const CI_START_MS = 60_000;

/**
 * Merges the tasks of projects with `gates.merge: auto` as soon as their gates allow it. A refusal is tried again later, and
 * after some tries a person is asked.
 */
export async function autoMerge(ports: EnginePorts): Promise<void> {
  for (const project of await ports.store.projects.listProjects()) {
    const settings = await readSettings(ports, project);
    if (settings?.gates.merge !== "auto") continue;
    const query = { status: ["waiting"] as const, state: null, project: project.name, cursor: null, limit: MAX_TASKS };
    const { rows } = await ports.store.tasks.listTasks(query);
    for (const { id, waitingFor } of rows)
      if (isDue(waitingFor, ports.clock.now())) await tryTask(ports, id, { project, settings });
  }
}

async function readSettings(ports: EnginePorts, project: Project): Promise<Settings | null> {
  try {
    return await ports.projects.lastGood(project);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UserError) return null;
    throw error;
  }
}

function isDue(waitingFor: Task["waitingFor"], now: number): boolean {
  if (waitingFor?.kind !== "merge") return false;
  const { problem } = waitingFor;
  return problem === undefined || (problem.retryAt !== null && problem.retryAt <= now);
}

interface AutoMergeProject {
  readonly project: Project;
  readonly settings: Settings;
}

async function tryTask(ports: EnginePorts, id: string, { project, settings }: AutoMergeProject): Promise<void> {
  await withTaskLock(ports, id, async () => {
    const task = await readTask(ports, id);
    if (!isDue(task.waitingFor, ports.clock.now())) return;
    try {
      await mergeAlone(ports, task, { project, settings });
    } catch (error) {
      // An error in one task must not affect the others.
      await recordProblem(ports, task, error);
    }
  });
}

/** A person must decide about this task; trying again does not help. */
class NeedsPerson extends Error {}

async function mergeAlone(ports: EnginePorts, task: Task, config: AutoMergeProject): Promise<void> {
  const context = await loadMergeContext(ports, task, config);
  const candidate = await findCandidate(context);
  const doubt = candidate.unreviewed ?? candidate.unverified;
  if (doubt !== null) throw new NeedsPerson(`it is not merged automatically: ${doubt}`);
  const expectCiUntil = candidate.at + CI_START_MS;
  const result = await performMerge(context, candidate, { method: null, comment: null, expectCiUntil });
  ports.hooks.passCheckpoint("change.merged");
  await finishMerge(context, { candidate, result, actor: SYSTEM });
}

async function recordProblem(ports: EnginePorts, { id }: Task, error: unknown): Promise<void> {
  if (!(error instanceof UserError || error instanceof NeedsPerson))
    ports.log.warn("a change could not be merged", { task: id, error: String(error) });
  const reason = ports.secrets.redact(error instanceof Error ? error.message : String(error));
  const at = ports.clock.now();
  await transact(ports, id, null, (before) => {
    const { waitingFor } = before;
    if (waitingFor?.kind !== "merge") return { advance: { task: before, events: [], next: null } };
    const problem = nextProblem(waitingFor.problem, error, { reason, at });
    const isNew = waitingFor.problem?.reason !== reason;
    const note = newEvent({ at, task: id, type: "run.note", level: "warning", summary: `not merged yet: ${reason}` });
    const question = newEvent({
      at,
      task: id,
      type: "task.waiting",
      summary: `waits for merge: ${reason}`,
      data: { kind: "merge", reason },
    });
    const events = problem.retryAt === null ? [question] : isNew ? [note] : [];
    return {
      advance: { task: { ...before, waitingFor: { ...waitingFor, problem }, updatedAt: at }, events, next: null },
    };
  });
}

/** Waiting for CI, the forge or the network is not a refusal, so it never asks a person. */
function nextProblem(
  previous: MergeProblem | undefined,
  error: unknown,
  { reason, at }: { readonly reason: string; readonly at: number },
): MergeProblem {
  const tries = (previous?.tries ?? 0) + 1;
  if (isTransient(error)) return { reason, tries: previous?.tries ?? 0, retryAt: retryTime(error) ?? at + WAIT_MS };
  const isLast = error instanceof NeedsPerson || tries >= MAX_TRIES;
  return { reason, tries, retryAt: isLast ? null : at + parkDelayMs(tries) };
}

const WAIT_MS = 30_000;

function isTransient(error: unknown): boolean {
  if (error instanceof ForgeError)
    return error.obstacle === "ci_running" || error.trouble === "unreachable" || error.trouble === "rate_limit";
  return error instanceof MachineError || (error instanceof RemoteError && error.trouble === "unreachable");
}

function retryTime(error: unknown): number | null {
  return error instanceof ForgeError ? error.retryAt : null;
}
