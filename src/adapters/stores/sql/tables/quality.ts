import type { ChangeFacts, RunFacts, TaskFacts } from "../../../../core/quality/facts.ts";
import type { TaskChangeRequest, TaskStatus } from "../../../../core/task/task.ts";
import type { QualityQuery, QualityStore } from "../../../../ports/store-quality.ts";
import { fromJson } from "../json.ts";
import type { Db } from "../schema.ts";
import { listChangeRequests, listMergedTasks } from "./change-requests.ts";

/** Databases limit the number of parameters of a statement. */
const MAX_IDS = 500;

export async function readFacts(db: Db, query: QualityQuery): ReturnType<QualityStore["readFacts"]> {
  // One more than asked for, to know whether there are more.
  const runs = await readRuns(db, { ...query, limit: query.limit + 1 });
  const tasks = await readTasks(db, { ...query, limit: query.limit + 1 });
  const kept = runs.slice(0, query.limit);
  return {
    runs: kept.map(({ taskStatus: _status, taskOutcome: _outcome, ...run }) => run),
    tasks: tasks.slice(0, query.limit).flatMap(({ options, ...task }) => (isVariant(options) ? [] : [task])),
    changes: await readChanges(db, kept),
    isComplete: runs.length <= query.limit && tasks.length <= query.limit,
  };
}

type RunRow = RunFacts & { readonly taskStatus: TaskStatus; readonly taskOutcome: string | null };

async function readRuns(db: Db, { since, until, project, limit }: QualityQuery): Promise<readonly RunRow[]> {
  const select = db
    .selectFrom("runs")
    .innerJoin("tasks", "tasks.id", "runs.task")
    .select(["runs.task", "runs.project", "tasks.pipeline", "runs.step", "runs.role", "runs.agent", "runs.model"])
    .select(["runs.status", "runs.outcome", "runs.started_at", "runs.finished_at", "runs.paused_ms"])
    .select(["tasks.status as taskStatus", "tasks.outcome as taskOutcome"])
    .where("runs.finished_at", ">=", since)
    .where("runs.finished_at", "<", until)
    // A run that never started says nothing about its agent.
    .where("runs.started_at", "is not", null);
  const rows = await (project === null ? select : select.where("runs.project", "=", project))
    .orderBy("runs.finished_at", "desc")
    .orderBy("runs.id", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ started_at, finished_at, paused_ms, status, ...row }) => ({
    ...row,
    // The casts are safe, because the conditions above exclude null and a run with an end has one of these statuses.
    status: status as RunFacts["status"],
    finishedAt: finished_at as number,
    durationMs: Math.max(0, (finished_at as number) - (started_at as number) - paused_ms),
  }));
}

async function readTasks(
  db: Db,
  { since, until, project, limit }: QualityQuery,
): Promise<readonly (TaskFacts & { readonly options: string })[]> {
  const select = db
    .selectFrom("tasks")
    .select(["id", "project", "pipeline", "status", "finished_at", "options"])
    .where("finished_at", ">=", since)
    .where("finished_at", "<", until);
  const rows = await (project === null ? select : select.where("project", "=", project))
    .orderBy("finished_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ status, finished_at, ...row }) => ({
    ...row,
    // The casts are safe, because an ended task has a time and one of these statuses.
    status: status as TaskFacts["status"],
    finishedAt: finished_at as number,
  }));
}

function isVariant(options: string): boolean {
  return fromJson<{ readonly variantOf?: unknown }>(options).variantOf !== undefined;
}

/** Each task that was published in the period, at its first time. The forge says what became of its change, or else the task. */
async function readChanges(db: Db, runs: readonly RunRow[]): Promise<readonly ChangeFacts[]> {
  // The newest run is first, so the oldest one is kept.
  const published = new Map(runs.filter(({ outcome }) => outcome === "published").map((run) => [run.task, run]));
  const ids = [...published.keys()];
  const changes: ChangeFacts[] = [];
  for (let start = 0; start < ids.length; start += MAX_IDS) {
    const some = ids.slice(start, start + MAX_IDS);
    const [requests, merged] = await Promise.all([listChangeRequests(db, some), listMergedTasks(db, some)]);
    for (const id of some) {
      const run = published.get(id);
      if (run === undefined) continue;
      const { project, pipeline, finishedAt: publishedAt } = run;
      changes.push({ task: id, project, pipeline, publishedAt, state: stateOf(run, requests.get(id), merged.has(id)) });
    }
  }
  return changes;
}

function stateOf(
  { taskStatus, taskOutcome }: RunRow,
  request: TaskChangeRequest | undefined,
  isMergedByHand: boolean,
): ChangeFacts["state"] {
  if (taskOutcome === "merged") return "merged";
  if (request !== undefined) return request.state;
  if (isMergedByHand) return "merged";
  return taskStatus === "cancelled" ? "closed" : "open";
}
