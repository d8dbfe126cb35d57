import { HELD, OPEN_RUN_STATUSES } from "../../../core/task/run.ts";
import type { Admission } from "../../../ports/store.ts";
import type { Db, Tx } from "./schema.ts";

/** Number of runs per query, so that a long queue is not loaded at once. */
const BATCH = 200;

/** Starts queued runs within the concurrency limits. Must run in a serialised transaction, because it counts before it writes. */
export async function admit(tx: Tx, admission: Admission): Promise<readonly string[]> {
  const open = await countOpenRuns(tx);
  const admitted: string[] = [];
  let free = admission.total - [...open.values()].reduce((sum, count) => sum + count, 0);
  while (free > 0) {
    const limit = Math.min(free, BATCH);
    const candidates = await nextCandidates(tx, admission, fullProjects(open, admission), limit);
    const ids = candidates.filter((run) => takeSlot(run.project, open, admission)).map((run) => run.id);
    if (ids.length > 0) await tx.updateTable("runs").set({ status: "starting" }).where("id", "in", ids).execute();
    admitted.push(...ids);
    if (candidates.length < limit) break;
    free -= ids.length;
  }
  return admitted;
}

/** Reserves a slot for a run of the project. A full project is recorded even without open runs, so that the next round skips it. */
function takeSlot(project: string, open: Map<string, number>, admission: Admission): boolean {
  const count = open.get(project) ?? 0;
  const fits = count < limitOf(project, admission);
  open.set(project, fits ? count + 1 : count);
  return fits;
}

async function countOpenRuns(tx: Tx): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom("runs")
    .select(["project", (eb) => eb.fn.countAll<number>().as("count")])
    .where("status", "in", OPEN_RUN_STATUSES)
    .groupBy("project")
    .execute();
  return new Map(rows.map((row) => [row.project, row.count]));
}

function limitOf(project: string, admission: Admission): number {
  const own = Object.hasOwn(admission.projects, project) ? admission.projects[project] : undefined;
  return own ?? admission.perProject;
}

function fullProjects(open: ReadonlyMap<string, number>, admission: Admission): readonly string[] {
  return [...open].filter(([project, count]) => count >= limitOf(project, admission)).map(([project]) => project);
}

function nextCandidates(tx: Tx, admission: Admission, full: readonly string[], limit: number) {
  let select = admissible(tx)
    .select(["id", "project"])
    .where((eb) =>
      eb.or([
        eb("not_before", "is", null),
        eb("not_before", "<=", admission.at),
        // Ignore times that were written while the clock was wrong: they may be years ahead.
        eb.and([eb("created_at", ">", admission.at), eb("not_before", "<", HELD)]),
      ]),
    )
    .orderBy("priority", "desc")
    .orderBy("task_created_at")
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit);
  if (full.length > 0) select = select.where("project", "not in", full);
  const { parkedAgents } = admission;
  if (parkedAgents.length > 0) {
    select = select.where((eb) => eb.or([eb("agent", "is", null), eb("agent", "not in", parkedAgents)]));
  }
  return select.execute();
}

function admissible(db: Db) {
  return db
    .selectFrom("runs")
    .where("status", "=", "queued")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("tasks")
            .select("tasks.id")
            .whereRef("tasks.id", "=", "runs.task")
            .where("tasks.status", "=", "paused"),
        ),
      ),
    );
}
