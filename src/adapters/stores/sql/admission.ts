import { HELD, OPEN_RUN_STATUSES } from "../../../core/task/run.ts";
import type { Admission } from "../../../ports/store.ts";
import { loadProbes } from "./tables/probes.ts";
import type { Db, Tx } from "./schema.ts";

/** Number of runs per query, so that a long queue is not loaded at once. */
const BATCH = 200;

/** Starts queued runs within the concurrency limits. Must run in a serialised transaction, because it counts before it writes. */
export async function admit(tx: Tx, admission: Admission): Promise<readonly string[]> {
  const open = await countOpenRuns(tx);
  const parked = await loadProbes(tx, admission.at);
  const admitted: string[] = [];
  let free = admission.total - [...open.values()].reduce((sum, count) => sum + count, 0);
  while (free > 0) {
    const limit = Math.min(free, BATCH);
    const blocked = { projects: fullProjects(open, admission), accounts: parked.blocked() };
    const candidates = await nextCandidates(tx, admission, blocked, limit);
    const ids = candidates
      .filter((run) => parked.mayStart(run) && takeSlot(run.project, open, admission) && parked.start(run))
      .map((run) => run.id);
    if (ids.length > 0) await tx.updateTable("runs").set({ status: "starting" }).where("id", "in", ids).execute();
    admitted.push(...ids);
    if (candidates.length < limit) break;
    free -= ids.length;
  }
  await parked.save();
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

interface Blocked {
  readonly projects: readonly string[];
  readonly accounts: readonly string[];
}

function nextCandidates(tx: Tx, admission: Admission, blocked: Blocked, limit: number) {
  let select = admissible(tx)
    .select(["id", "project", "account"])
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
  const { projects, accounts } = blocked;
  if (projects.length > 0) select = select.where("project", "not in", projects);
  if (accounts.length > 0)
    select = select.where((eb) => eb.or([eb("account", "is", null), eb("account", "not in", accounts)]));
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
