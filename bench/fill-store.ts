import type { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { fillTotals } from "../src/adapters/stores/sql/migrations/0010-totals.ts";
import { MIGRATIONS } from "../src/adapters/stores/sql/migrations/list.ts";
import type { Schema } from "../src/adapters/stores/sql/schema.ts";
import { nodeSqliteDialect } from "../src/adapters/stores/sqlite/dialect.ts";
import { openDatabase, openStore } from "../src/adapters/stores/sqlite/open.ts";
import type { EventType } from "../src/core/task/event.ts";
import type { NewRun, Store } from "../src/ports/store.ts";
import { makeProposal } from "../src/testing/builders.ts";
import {
  committing,
  creating,
  sampleArtifact,
  sampleCheck,
  sampleEnd,
  sampleEvent,
  sampleNotice,
  sampleRun,
  sampleTask,
  SILENT_LOG,
} from "../src/testing/store/samples.ts";

const MEMORY = ":memory:";
const PERIOD_MS = 28 * 86_400_000;
/** Number of tasks that are written through the store. */
const WRITTEN = 1_000;

/**
 * Writes a database with `count` finished tasks of the last four weeks, with their runs, events, checks, artifacts, costs,
 * notices and proposals. All but the first thousand are copies, because writing so many would take minutes. Therefore
 * databases of different sizes differ only in the number of rows.
 */
export async function fillStore(file: string, count: number, project: string): Promise<void> {
  const database = openDatabase(MEMORY);
  const store = await openStore({ database, file: MEMORY, log: SILENT_LOG, migrations: MIGRATIONS, release() {} });
  const start = Date.now() - PERIOD_MS;
  for (let index = 0; index < WRITTEN; index += 1)
    await addTask(store, { index, project, at: start + Math.floor((index * PERIOD_MS) / WRITTEN) });
  database.exec("update notices set delivered_at = at, next_at = null");
  await copyTasks(database, count / WRITTEN - 1);
  await store.backup(file);
  await store.close();
}

/** Status of every tenth task. */
const STATUSES = ["succeeded", "succeeded", "failed", "succeeded", "cancelled"] as const;
const STEPS: readonly Pick<NewRun, "step" | "role" | "state">[] = [
  { step: "agent", role: "implement", state: "implementing" },
  { step: "checks", role: null, state: "checking" },
  { step: "agent", role: "review", state: "reviewing" },
  { step: "publish", role: null, state: "publishing" },
];
const STEP_MS = 60_000;

interface Added {
  readonly index: number;
  readonly project: string;
  /** When it ended. */
  readonly at: number;
}

async function addTask({ tasks, ledger }: Store, { index, project, at }: Added): Promise<void> {
  const status = STATUSES[index % STATUSES.length] ?? "succeeded";
  const createdAt = at - STEPS.length * STEP_MS;
  const pipeline = index % 2 === 0 ? "chore" : "improve";
  const id = `task_${String(index).padStart(10, "0")}`;
  const about = { id, project: index % 3 === 0 ? "other" : project, pipeline };
  let task = sampleTask({ ...about, createdAt, updatedAt: at, queuedFor: null, status: "running" });
  let run = runOf(0);
  await tasks.createTask(creating(task, { run, events: [eventOf("task.submitted"), eventOf("task.state")] }));
  for (const place of STEPS.keys()) {
    const isLast = place === STEPS.length - 1;
    await tasks.takeRun(run.id, run.createdAt);
    const lease = { run: run.id, token: 1 };
    if (run.role !== null) await tasks.updateRun(lease, { agent: "claude-code", model: `model-${index % 2}` });
    const ended = { status, state: status === "succeeded" ? "done" : status, finishedAt: at, outcome: "published" };
    const newRun = isLast ? null : runOf(place + 1);
    ({ task } = await tasks.commit(
      committing(isLast ? { ...task, ...ended } : task, {
        lease,
        endRun: sampleEnd(run.id, { finishedAt: run.createdAt + STEP_MS - 1, costUsd: index / 1_000 }),
        newRun,
        events: [eventOf("run.started"), eventOf("run.ended"), ...(isLast ? [eventOf("task.ended")] : [])],
        checks: run.step === "checks" ? ["lint", "types", "test"].map((name) => sampleCheck(run.id, { name })) : [],
        artifacts: isLast ? (["branch", "commit", "diff"] as const).map((type) => sampleArtifact({ type })) : [],
        notices: isLast ? [sampleNotice({ task: id, project: task.project, at })] : [],
      }),
    ));
    run = newRun ?? run;
  }
  const isMerged = index % 2 === 0;
  await ledger.saveProposals([
    makeProposal({
      id: `prop_${index}`,
      project: task.project,
      task: id,
      status: isMerged ? "merged" : "closed",
      at,
      askedAt: at,
    }),
  ]);

  function runOf(place: number): NewRun {
    return sampleRun(task, { id: `run_${index}x${place}`, ...STEPS[place], createdAt: createdAt + place * STEP_MS });
  }
  function eventOf(type: EventType) {
    return sampleEvent({ type, task: id, run: run.id, at });
  }
}

const COPIED = ["tasks", "runs", "costs", "checks", "artifacts", "events", "notices", "proposals"];

/** Copies all rows `copies` times, with other ids and slightly later times. Like in a real database, old rows come first. */
async function copyTasks(database: DatabaseSync, copies: number): Promise<void> {
  database.exec("create temp table copies (number integer)");
  for (let copy = 1; copy <= copies; copy += 1) database.exec(`insert into copies values (${copy})`);
  for (const table of COPIED) {
    database.exec(`create temp table written as select * from ${table} order by rowid`);
    const columns = database.prepare(
      `select name from pragma_table_info('${table}') where type <> 'INTEGER' or pk = 0`,
    );
    const names = columns.all().map(({ name }) => String(name));
    database.exec(`
      insert into ${table} ("${names.join('", "')}")
      select ${names.map(copyColumn).join(", ")} from written cross join copies order by written.rowid, copies.number
    `);
    database.exec("drop table written");
  }
  database.exec("delete from task_counts; delete from cost_groups");
  const db = new Kysely<Schema>({ dialect: nodeSqliteDialect(database, MEMORY) });
  await db.transaction().execute((tx) => fillTotals(tx));
}

function copyColumn(name: string): string {
  if (["id", "task", "run"].includes(name)) return `written."${name}" || 'c' || copies.number`;
  const isTime = name === "at" || name.endsWith("_at");
  return isTime ? `written."${name}" + 17 * copies.number` : `written."${name}"`;
}
