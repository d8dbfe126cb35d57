import { openSqliteStore } from "../../src/adapters/stores/sqlite/open.ts";
import { homePaths } from "../../src/config/files/paths.ts";
import { makeTask } from "../../src/testing/builders.ts";
import { bareNode } from "../bare.ts";
import { cli } from "../cli.ts";
import { createBenchEnvironment, openDaemon, PROJECT, QUICK_AGENT } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { interleave, median, timed } from "../statistics.ts";

const TASKS = 10_000;
const ROUNDS = 7;

export async function measureQueue(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(QUICK_AGENT, 2);
  await fillStore(homePaths(environment.home).db);
  const daemon = await openDaemon(environment);
  try {
    const measured = await interleave(ROUNDS, {
      node: () => timed(bareNode),
      queue: () => timed(() => cli(environment, ["queue"])),
      all: () => timed(() => listAll()),
    });
    const baseline = median(measured.node);
    const [queue, all] = [median(measured.queue), median(measured.all)];
    const what = `with ${TASKS} tasks in the store (baseline: node -e 0)`;
    return [
      {
        row: "e",
        what: `nightshift queue ${what}`,
        unit: "ms",
        value: queue,
        baseline,
        target: atMost(queue, 300, "300 ms"),
      },
      {
        row: "e",
        what: `nightshift queue --json --limit ${TASKS} ${what}`,
        unit: "ms",
        value: all,
        baseline,
        target: null,
      },
    ];
  } finally {
    await daemon.stop();
    environment.remove();
  }

  async function listAll(): Promise<void> {
    const printed: unknown = JSON.parse(await cli(environment, ["queue", "--json", "--limit", String(TASKS)]));
    if (!Array.isArray(printed) || printed.length !== TASKS) throw new Error("queue did not list every task");
  }
}

/** Created in memory first, because ten thousand commits on a disk take a minute. */
async function fillStore(file: string): Promise<void> {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const store = await openSqliteStore({ file: ":memory:", log: quiet });
  const at = Date.now();
  const admission = { at, total: 0, projects: {}, perProject: 0 };
  for (let index = 0; index < TASKS; index += 1) {
    const id = `task_${String(index).padStart(10, "0")}`;
    const created = at - index * 1000;
    const task = makeTask({
      id,
      project: PROJECT,
      status: "succeeded",
      state: "done",
      title: `Task number ${index}`,
      createdAt: created,
      updatedAt: created,
      finishedAt: created,
    });
    await store.tasks.createTask({ task, run: null, events: [], notices: [], key: null, admission });
  }
  await store.backup(file);
  await store.close();
}
