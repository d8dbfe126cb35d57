import { newEvent } from "../../core/task/event.ts";
import { ConfigError, UserError } from "../../core/text/errors.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Task } from "../../core/task/task.ts";
import type { Project } from "../../ports/store.ts";
import type { EnginePorts } from "../ports.ts";
import { sourceOf } from "../run/prepare/source-of.ts";
import { listUnmerged } from "../merge/list-unmerged.ts";
import { endMergeWait } from "./end-merge-wait.ts";
import type { Outages } from "./outages.ts";
import { createPollTimes } from "./poll-times.ts";

const MAX_TASKS = 200;
/** Ended tasks are looked at more often than waiting ones, because the report lists them until they are merged. */
const LONGEST_AGE_MS = 50 * 60_000;

/**
 * Ends tasks whose branch a person merged with git, in projects without a forge, and records the same for tasks that ended when
 * their branch was published. Costs one `git ls-remote` per project, and a fetch only if the default branch moved.
 */
export function createMergedBranchSweep(ports: EnginePorts, outages: Outages): () => Promise<void> {
  const pollTimes = createPollTimes();
  /** For each task, the commit of the default branch that does not contain its work. */
  const examined = new Map<string, string>();
  return async () => {
    for (const project of await ports.store.projects.listProjects())
      await outages.read(project, async () => {
        const settings = await readSettings(ports, project);
        if (settings === null || settings.forge !== null) return false;
        const now = ports.clock.now();
        const tasks = [
          ...(await listMergeable(ports, project)),
          ...(await listUnmerged(ports, { project: project.name, now })),
        ];
        const due = tasks.filter(
          (task) => outages.isDown(project.name) || pollTimes.takeIfDue(task.id, sinceOf(task, now), now),
        );
        if (due.length > 0) await examine({ ports, project, settings, examined }, due);
        return due.length > 0;
      });
  };
}

async function readSettings(ports: EnginePorts, project: Project): Promise<Settings | null> {
  try {
    return await ports.projects.lastGood(project);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UserError) return null;
    throw error;
  }
}

function sinceOf({ waitingFor, updatedAt, finishedAt }: Task, now: number): number {
  return finishedAt === null ? (waitingFor?.since ?? updatedAt) : Math.max(finishedAt, now - LONGEST_AGE_MS);
}

async function listMergeable({ store }: EnginePorts, project: Project): Promise<readonly Task[]> {
  const query = { status: ["waiting"] as const, state: null, project: project.name, cursor: null, limit: MAX_TASKS };
  const { rows } = await store.tasks.listTasks(query);
  return rows.filter(({ waitingFor }) => waitingFor?.kind === "merge");
}

interface Examination {
  readonly ports: EnginePorts;
  readonly project: Project;
  readonly settings: Settings;
  readonly examined: Map<string, string>;
}

async function examine(examination: Examination, tasks: readonly Task[]): Promise<void> {
  const { ports, project, examined } = examination;
  const source = sourceOf(examination);
  const tip =
    source.defaultBranch === null
      ? null
      : await ports.workspaces.readBranch({ ...source, branch: source.defaultBranch });
  const open = tasks.filter(({ id }) => tip === null || examined.get(id) !== tip);
  if (open.length === 0) return;
  const base = await ports.workspaces.sync(source);
  for (const task of open) {
    const commit = task.published?.head;
    if (commit === undefined) continue;
    const isMerged = await ports.workspaces.isMerged({
      project: project.name,
      task: task.id,
      commit,
      base: base.commit,
    });
    if (!isMerged) {
      examined.set(task.id, base.commit);
      continue;
    }
    examined.delete(task.id);
    const event = newEvent({
      at: ports.clock.now(),
      task: task.id,
      type: "request.merged",
      summary: `${task.branch ?? commit} was merged into ${base.branch} by hand`,
      data: { number: null, url: null, branch: task.branch, commit, merge_commit: base.commit },
    });
    if (task.finishedAt === null) await endMergeWait(ports, { project, task: task.id, event });
    else await ports.store.events.appendEvents([event]);
  }
}
