import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COST_DIMENSIONS } from "../../../core/money/cost-dimensions.ts";
import { OPEN_STATUSES } from "../../../core/task/task.ts";
import type { Store } from "../../../ports/store.ts";
import {
  committing,
  OPEN,
  sampleEnd,
  sampleEvent,
  sampleProject,
  SILENT_LOG,
  startTask,
} from "../../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../../testing/temp-repo.ts";
import { MIGRATIONS } from "../sql/migrations/list.ts";
import { openDatabase, openSqliteStore, openStore } from "./open.ts";

let dir: TempDir;
let database: DatabaseSync;
let store: Store;
let queries: string[];

beforeEach(async () => {
  dir = await createTempDir();
  const file = join(dir.path, "nightshift.db");
  const filled = await openSqliteStore({ file, log: SILENT_LOG });
  const { task, run, lease } = await startTask(filled);
  await filled.tasks.commit(committing(task, { lease, endRun: sampleEnd(run.id) }));
  await filled.projects.saveProject(sampleProject({ name: "idle" }), sampleEvent());
  await filled.close();
  // Opened again, because statements are prepared only once.
  database = openDatabase(file);
  store = await openStore({ database, file, log: SILENT_LOG, migrations: MIGRATIONS, release() {} });
  const prepare = database.prepare.bind(database);
  queries = [];
  database.prepare = (query) => {
    queries.push(query);
    return prepare(query);
  };
});
afterEach(async () => {
  await store.close();
  await dir.remove();
});

/** How SQLite finds the rows of tables that grow, one line per table and part of the query. */
function plan(): readonly string[] {
  const lines = queries.filter((query) => /^\s*(select|with|delete)/i.test(query)).flatMap((query) => explain(query));
  return [...new Set(lines.filter((line) => /^(SEARCH|SCAN) |B-TREE|UNION/.test(line) && !SMALL.test(line)))];
}

/** Tables that do not grow with the number of tasks, and parts of a query that are limited already. */
const SMALL = /^SCAN (part|times|\d+ CONSTANT ROWS?|cost_groups|task_counts|marks|baselines)\b/;

function explain(query: string): readonly string[] {
  const parameters = Array.from(query.matchAll(/\?/g), () => null);
  return database
    .prepare(`explain query plan ${query}`)
    .all(...parameters)
    .map(({ detail }) => String(detail));
}

const TASKS = { status: null, state: null, project: null, cursor: null, limit: 10 };
const RUNS = { task: null, status: null, project: null, limit: 10 };
const PROPOSALS = { project: null, statuses: null, limit: 10 };
const COSTS = { since: 0, until: 9e12, project: null, by: COST_DIMENSIONS, timeZone: "UTC" };
const LIMIT = { window: "night", usd: 1, project: null, since: 0, until: 9e12, timeZone: "UTC" } as const;
const ONE = ["failed"] as const;

/** All filters of a query are columns of the index (with `=`), and the index gives the order. */
const PLANS: Readonly<Record<string, readonly [read: () => Promise<unknown>, expected: readonly string[]]>> = {
  "all tasks": [() => store.tasks.listTasks(TASKS), ["SCAN tasks USING INDEX tasks_by_created_at_id"]],
  "tasks of a status": [
    () => store.tasks.listTasks({ ...TASKS, status: ONE }),
    ["SEARCH tasks USING INDEX tasks_by_status_created_at_id (status=?)"],
  ],
  "tasks of a status, next page": [
    () => store.tasks.listTasks({ ...TASKS, status: ONE, cursor: "1.x" }),
    ["SEARCH tasks USING INDEX tasks_by_status_created_at_id (status=? AND (created_at,id)<(?,?))"],
  ],
  "tasks of several statuses": [
    () => store.tasks.listTasks({ ...TASKS, status: OPEN_STATUSES }),
    [
      "MERGE (UNION ALL)",
      "SEARCH tasks USING INDEX tasks_by_status_created_at_id (status=?)",
      // Sorts the results of the parts.
      "USE TEMP B-TREE FOR ORDER BY",
    ],
  ],
  "tasks of a project": [
    () => store.tasks.listTasks({ ...TASKS, project: "shop" }),
    ["SEARCH tasks USING INDEX tasks_by_project_created_at_id (project=?)"],
  ],
  "tasks of a project and status": [
    () => store.tasks.listTasks({ ...TASKS, project: "shop", status: ONE }),
    ["SEARCH tasks USING INDEX tasks_by_project_status_created_at_id (project=? AND status=?)"],
  ],
  "tasks of a state": [
    () => store.tasks.listTasks({ ...TASKS, state: "checking", status: ONE }),
    ["SEARCH tasks USING INDEX tasks_by_state_status_created_at_id (state=? AND status=?)"],
  ],
  "tasks of a project and state": [
    () => store.tasks.listTasks({ ...TASKS, state: "checking", status: ONE, project: "shop" }),
    ["SEARCH tasks USING INDEX tasks_by_project_state_status_created_at_id (project=? AND state=? AND status=?)"],
  ],
  "ended tasks": [
    () => store.tasks.listEndedTaskIds(0, 1),
    ["SEARCH tasks USING COVERING INDEX tasks_by_finished_at_id (finished_at>? AND finished_at<?)"],
  ],
  "overdue tasks": [
    () => store.tasks.listOverdue(1, 10),
    ["SEARCH tasks USING INDEX tasks_by_deadline_at (deadline_at<?)"],
  ],
  "tasks by text, agent and other filters": [
    () => {
      const search = { pipeline: "chore", agent: "codex", tag: "build", text: "cart" };
      return store.tasks.listTasks({ ...TASKS, status: ONE, project: "shop", cursor: "1.x", search });
    },
    [
      "SEARCH tasks USING COVERING INDEX tasks_search ((created_at,id)<(?,?))",
      "SEARCH runs USING COVERING INDEX runs_by_task_agent (task=? AND agent=?)",
    ],
  ],
  "tasks that a search found": [
    () => store.tasks.listTasks({ ...TASKS, search: { text: "build" } }),
    ["SCAN tasks USING COVERING INDEX tasks_search", "SEARCH tasks USING INDEX sqlite_autoindex_tasks_1 (id=?)"],
  ],
  "number of tasks by filters": [
    () => store.tasks.countMatching({ status: ONE, project: "shop", tag: "build" }),
    ["SCAN tasks USING COVERING INDEX tasks_search", "USE TEMP B-TREE FOR GROUP BY"],
  ],
  "number of tasks": [() => store.tasks.countTasks(), []],

  "all runs": [() => store.tasks.listRuns(RUNS), ["SCAN runs USING INDEX runs_by_created_at_id"]],
  "runs of a task": [
    () => store.tasks.listRuns({ ...RUNS, task: "task_1" }),
    ["SEARCH runs USING INDEX runs_by_task_created_at (task=?)", "USE TEMP B-TREE FOR LAST TERM OF ORDER BY"],
  ],
  "runs of a status": [
    () => store.tasks.listRuns({ ...RUNS, status: ONE }),
    ["SEARCH runs USING INDEX runs_by_status_created_at_id (status=?)"],
  ],
  "runs of a project": [
    () => store.tasks.listRuns({ ...RUNS, project: "shop" }),
    ["SEARCH runs USING INDEX runs_by_project_created_at_id (project=?)"],
  ],
  "runs of a project and status": [
    () => store.tasks.listRuns({ ...RUNS, project: "shop", status: ONE }),
    ["SEARCH runs USING INDEX runs_by_project_status_created_at_id (project=? AND status=?)"],
  ],
  "ended runs": [
    () => store.tasks.listEndedRuns({ since: 0, until: 1 }),
    ["SEARCH runs USING INDEX runs_by_finished_at_id (finished_at>? AND finished_at<?)"],
  ],
  "open runs": [
    () => store.tasks.listOpenRuns(),
    // Sorts the open runs.
    ["SEARCH runs USING INDEX runs_by_status_created_at_id (status=?)", "USE TEMP B-TREE FOR ORDER BY"],
  ],
  admission: [
    () => store.tasks.admit(OPEN),
    [
      "SEARCH runs USING INDEX runs_by_status_created_at_id (status=?)",
      // Groups the open runs.
      "USE TEMP B-TREE FOR GROUP BY",
      // There are at most as many rows as agents.
      "SCAN parked_agents",
      "USE TEMP B-TREE FOR ORDER BY",
      "SEARCH runs USING INDEX runs_queue (status=?)",
      "SEARCH tasks USING INDEX sqlite_autoindex_tasks_1 (id=?)",
    ],
  ],

  costs: [
    () => store.money.costs(COSTS),
    [
      "SEARCH costs USING COVERING INDEX costs_by_cost_group_at_run (cost_group=?)",
      "SEARCH cost_groups USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH costs USING INDEX costs_by_cost_group_at_run (cost_group=? AND at=? AND run=?)",
      "SEARCH earlier USING COVERING INDEX costs_by_cost_group_at_run (cost_group=? AND at<?)",
    ],
  ],
  "reserved budget": [
    () => store.money.listUse([{ ...LIMIT, since: 1, until: 2 }]),
    [
      "SEARCH costs USING COVERING INDEX costs_by_cost_group_at_run (cost_group=?)",
      "SEARCH runs USING INDEX runs_by_status_created_at_id (status=?)",
    ],
  ],
  "quality facts": [
    () => store.quality.readFacts({ since: 0, until: 9e12, project: null, limit: 10 }),
    [
      "SEARCH runs USING INDEX runs_by_finished_at_id (finished_at>? AND finished_at<?)",
      "SEARCH tasks USING INDEX sqlite_autoindex_tasks_1 (id=?)",
      "SEARCH tasks USING INDEX tasks_by_finished_at_id (finished_at>? AND finished_at<?)",
    ],
  ],

  "events of a task": [
    () => store.events.listEvents({ after: 5, task: "task_1", limit: 10 }),
    ["SEARCH events USING INDEX events_by_task_id (task=? AND id>?)"],
  ],
  "events of a period": [
    () => store.events.listEventsIn({ since: 0, until: 1 }, ["agent.parked"]),
    ["SEARCH events USING INDEX events_by_type_at (type=? AND at>? AND at<?)"],
  ],
  decisions: [
    () => store.events.listDecisions({ task: null, cursor: "1.1", limit: 10 }),
    ["SEARCH events USING INDEX events_by_type_at (type=? AND at<?)"],
  ],
  "decisions about a task": [
    () => store.events.listDecisions({ task: "task_1", cursor: "1.1", limit: 10 }),
    ["SEARCH events USING INDEX events_by_task_type_at (task=? AND type=? AND at<?)"],
  ],
  "due notices": [
    () => store.outbox.dueNotices(1, 10),
    ["SEARCH notices USING INTEGER PRIMARY KEY (rowid=?)", "SCAN notices USING INDEX notices_pending"],
  ],

  "failure of a channel": [
    () => store.outbox.findFailure("ntfy", ["shop"]),
    ["SEARCH notices USING INDEX notices_by_project_channel_id (project=? AND channel=?)"],
  ],
  "notices of a task": [
    () => store.outbox.listTaskNotices("task_1"),
    ["SEARCH notices USING INDEX notices_by_task_id (task=?)"],
  ],

  "all proposals": [
    () => store.ledger.listProposals(PROPOSALS),
    ["SCAN proposals USING INDEX proposals_by_at_desc_id"],
  ],
  "proposals of a status": [
    () => store.ledger.listProposals({ ...PROPOSALS, statuses: ["merged"] }),
    ["SEARCH proposals USING INDEX proposals_by_status_at_desc_id (status=?)"],
  ],
  "proposals of a project": [
    () => store.ledger.listProposals({ ...PROPOSALS, project: "shop" }),
    ["SEARCH proposals USING INDEX proposals_by_project_at_desc_id (project=?)"],
  ],
  "proposals of a project and status": [
    () => store.ledger.listProposals({ ...PROPOSALS, project: "shop", statuses: ["merged"] }),
    ["SEARCH proposals USING INDEX proposals_by_project_status_at_desc_id (project=? AND status=?)"],
  ],
  "proposals with a certain change": [
    () => store.ledger.listProposals({ ...PROPOSALS, project: "shop", statuses: ["merged"], patch: "p" }),
    ["SEARCH proposals USING INDEX proposals_by_project_patch_status_at_desc_id (project=? AND patch=? AND status=?)"],
  ],
  "unexplained proposals": [
    () => store.ledger.listProposals({ ...PROPOSALS, project: "shop", statuses: ["closed"], isUnexplained: true }),
    ["SEARCH proposals USING INDEX proposals_unexplained (project=? AND status=?)"],
  ],
  "proposals by prefix": [
    () => store.ledger.listProposals({ ...PROPOSALS, prefix: "a" }),
    [
      "SEARCH proposals USING INDEX sqlite_autoindex_proposals_1 (id>? AND id<?)",
      "SEARCH proposals USING INDEX proposals_by_task (task>? AND task<?)",
      "USE TEMP B-TREE FOR ORDER BY",
    ],
  ],
  "removal of a project": [
    () => store.projects.removeProject("idle", sampleEvent()),
    [
      "SEARCH projects USING INDEX sqlite_autoindex_projects_1 (name=?)",
      "MERGE (UNION ALL)",
      "SEARCH tasks USING INDEX tasks_by_project_status_created_at_id (project=? AND status=?)",
      "USE TEMP B-TREE FOR ORDER BY",
    ],
  ],
};

describe("query plan", () => {
  it.each(Object.keys(PLANS))("of %s reads only rows that the query returns", async (name) => {
    const [read, expected] = PLANS[name] ?? [];
    await read?.();
    expect(plan()).toEqual(expected);
  });
});
