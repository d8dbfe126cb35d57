import { orderMerges, type OrderedBranch, type OpenBranch } from "../../core/forge/merge-order.ts";
import { OPEN_STATUSES, type PublishedBranch, type Task } from "../../core/task/task.ts";
import type { TrialMerges } from "../../ports/workspace/trial-merges.ts";
import type { EnginePorts } from "../ports.ts";
import { sourceOf } from "../run/prepare/source-of.ts";

/** 20 branches are 190 pairs. */
const MAX_BRANCHES = 20;
const MAX_LISTED = 200;

export interface MergeOrder {
  /** The branch to merge into. */
  readonly target: string;
  readonly branches: readonly OrderedBranch<MergeableBranch>[];
  /** Number of older branches that were not compared. */
  readonly leftOut: number;
}

export interface MergeableBranch extends OpenBranch {
  readonly title: string;
  readonly branch: string;
  readonly commit: string;
}

/** Finds the order in which to merge the published branches of a project. Null if it has none. */
export type FindMergeOrder = (project: string) => Promise<MergeOrder | null>;

type PublishedTask = Task & { readonly branch: string; readonly published: PublishedBranch };

export function createMergeOrder(ports: EnginePorts): FindMergeOrder {
  /** Commits that could not be fetched, so that they are not fetched again and again. */
  const unavailable = new Set<string>();
  return async (project) => {
    const tasks = await listPublished(ports, project);
    const compared = tasks.slice(0, MAX_BRANCHES);
    const [newest] = compared;
    if (newest === undefined) return null;
    const target = newest.published.base;
    const branches = compared.map(({ id, branch, published }) => ({ task: id, branch, commit: published.head }));
    const tryAll = (): Promise<TrialMerges> => ports.workspaces.tryMerges({ project, target, branches });
    let tried = await tryAll();
    const missing = branches.filter(
      ({ task, commit }) => !unavailable.has(commit) && statusOf(tried, task) === "missing",
    );
    if (missing.length > 0 && (await fetchBranches(ports, project))) tried = await tryAll();
    for (const { task, commit } of missing) if (statusOf(tried, task) === "missing") unavailable.add(commit);
    return { target, branches: order(compared, tried), leftOut: tasks.length - compared.length };
  };
}

/** Open tasks, and those that ended when their branch was published. Newest first. */
async function listPublished({ store }: EnginePorts, project: string): Promise<readonly PublishedTask[]> {
  const query = { status: [...OPEN_STATUSES, "succeeded"] as const, state: null, project, cursor: null };
  const { rows } = await store.tasks.listTasks({ ...query, isPublished: true, limit: MAX_LISTED });
  const requests = await store.tasks.listChangeRequests(rows.map(({ id }) => id));
  return rows.filter(
    (task): task is PublishedTask =>
      task.outcome !== "merged" &&
      task.branch !== null &&
      task.published != null &&
      (requests.get(task.id)?.state ?? "open") === "open",
  );
}

async function fetchBranches(ports: EnginePorts, name: string): Promise<boolean> {
  try {
    const project = await ports.store.projects.getProject(name);
    if (project === null) return false;
    await ports.workspaces.sync(sourceOf({ ports, project, settings: await ports.projects.lastGood(project) }));
    return true;
  } catch (error) {
    ports.log.warn("branches could not be fetched for the merge order", { project: name, error: String(error) });
    return false;
  }
}

function statusOf({ branches }: TrialMerges, task: string) {
  return branches.find((each) => each.task === task)?.status;
}

function order(tasks: readonly PublishedTask[], { branches, conflicts }: TrialMerges): MergeOrder["branches"] {
  const open = tasks.flatMap(({ id, title, createdAt, branch, published }): MergeableBranch[] => {
    const tried = branches.find(({ task }) => task === id);
    if (tried?.status !== "open") return [];
    return [{ task: id, title, createdAt, branch, commit: published.head, targetConflicts: tried.targetConflicts }];
  });
  return orderMerges(open, conflicts);
}
