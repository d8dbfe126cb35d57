import { UserError } from "../core/text/errors.ts";
import type { Run } from "../core/task/run.ts";
import type { Task } from "../core/task/task.ts";
import type { StoreReader } from "../ports/store-mutations.ts";
import type { HttpDeps } from "./deps.ts";
import type { RunJson } from "./contract/run.ts";
import type { TaskJson } from "./contract/task.ts";
import { listVariants } from "../engine/variants.ts";
import { viewRun, viewTask, viewTaskRow, type ShortIds, type VariantParts } from "./views/views.ts";

/** Maximum number of runs in a response. The engine ends a runaway task long before it has that many. */
const MAX_RUNS = 1000;

export async function findTask(store: StoreReader, idOrPrefix: string): Promise<Task> {
  return await find("task", idOrPrefix, {
    get: (id) => store.tasks.getTask(id),
    search: (prefix) => store.tasks.findTaskIds(prefix),
  });
}

/** The ids of tasks that a request names. Reports all problems at once. */
export async function findTaskIds(store: StoreReader, given: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.allSettled(given.map((each) => findTask(store, each)));
  const problems = found.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  const messages = problems.map((problem) => {
    if (problem instanceof UserError) return problem.message;
    throw problem;
  });
  if (messages.length > 0) throw new UserError("not_found", messages.join(" "), '"nightshift queue" lists the tasks.');
  return found.flatMap((each) => (each.status === "fulfilled" ? [each.value.id] : []));
}

export async function findRun(store: StoreReader, idOrPrefix: string): Promise<Run> {
  return await find("run", idOrPrefix, {
    get: (id) => store.tasks.getRun(id),
    search: (prefix) => store.tasks.findRunIds(prefix),
  });
}

export async function listTaskRuns(store: StoreReader, task: string): Promise<readonly Run[]> {
  return await store.tasks.listRuns({ task, status: null, project: null, limit: MAX_RUNS });
}

export async function showTask(store: StoreReader, task: Task, now: number): Promise<TaskJson> {
  const variants = await showVariants(store, task);
  const [runs, checks, artifacts, notices, taskIds, requests] = await Promise.all([
    listTaskRuns(store, task.id),
    store.tasks.listChecks(task.id),
    store.tasks.listArtifacts(task.id),
    store.outbox.listTaskNotices(task.id),
    store.tasks.shortenIds("task", [task.id, ...variants.map(({ variant }) => variant.id)]),
    store.tasks.listChangeRequests([task.id]),
  ]);
  const shortIds = new Map([...taskIds, ...(await shortenRunIds(store, runs))]);
  const changeRequest = requests.get(task.id) ?? null;
  return viewTask({ task, changeRequest, shortIds, runs, checks, artifacts, notices, variants }, now);
}

async function showVariants(store: StoreReader, task: Task): Promise<readonly VariantParts[]> {
  const variants = await listVariants({ store }, task);
  return Promise.all(variants.map(async (variant) => ({ variant, runs: await listTaskRuns(store, variant.id) })));
}

export async function showTaskRows(store: StoreReader, tasks: readonly Task[], now: number): Promise<TaskJson[]> {
  const ids = tasks.map(({ id }) => id);
  const [shortIds, requests] = await Promise.all([
    store.tasks.shortenIds("task", ids),
    store.tasks.listChangeRequests(ids),
  ]);
  return tasks.map((task) => viewTaskRow({ task, changeRequest: requests.get(task.id) ?? null, shortIds }, now));
}

/** For a list of runs, without what each was granted. */
export async function showRuns(store: StoreReader, runs: readonly Run[], now: number): Promise<RunJson[]> {
  const shortIds = await shortenRunIds(store, runs);
  return runs.map((run) => ({ ...viewRun(run, shortIds, now), limits: null, grants: null }));
}

/** Adds the process id of a run that has not ended. */
export function withProcess({ runFiles }: Pick<HttpDeps, "runFiles">, run: RunJson): RunJson {
  return run.finished_at === null ? { ...run, pid: runFiles.findProcess(run.id) } : run;
}

function shortenRunIds(store: StoreReader, runs: readonly Run[]): Promise<ShortIds> {
  return store.tasks.shortenIds(
    "run",
    runs.map(({ id }) => id),
  );
}

interface Finder<T> {
  readonly get: (id: string) => Promise<T | null>;
  readonly search: (prefix: string) => Promise<readonly string[]>;
}

async function find<T>(word: string, idOrPrefix: string, { get, search }: Finder<T>): Promise<T> {
  const exact = await get(idOrPrefix);
  if (exact !== null) return exact;
  const [id, ...others] = await search(idOrPrefix);
  const found = id === undefined ? null : await get(id);
  if (id === undefined || found === null) {
    throw new UserError(
      "not_found",
      `There is no ${word} "${idOrPrefix}".`,
      `List them with GET /${word}s or "nightshift queue".`,
    );
  }
  if (others.length > 0) {
    throw new UserError(
      "invalid",
      `"${idOrPrefix}" is ambiguous: it matches ${[id, ...others].join(", ")}.`,
      `Use a longer prefix of the ${word}'s id.`,
    );
  }
  return found;
}
