import { join } from "node:path";
import { prepareBare } from "../bare.ts";
import { createBenchEnvironment, openDaemon, QUICK_AGENT } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { inLanes, timed } from "../statistics.ts";
import { openTaskRunner } from "../tasks.ts";
import { traceTask } from "./task-overhead.ts";

const TASKS = 200;
const LANES = 8;
/** Tasks and bare sequences alternate in batches, so that other load affects both. */
const BATCHES = 5;

export async function measureThroughput(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(QUICK_AGENT, LANES);
  try {
    const bare = await traceTask(environment);
    const daemon = await openDaemon(environment);
    const tasks = openTaskRunner(daemon.client);
    const size = TASKS / BATCHES;
    const total = { tasks: 0, bare: 0 };
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const prepared = Array.from({ length: size }, (_, index) =>
        prepareBare(bare, environment.root, join(environment.root, "bare", String(index))),
      );
      total.tasks += await timed(() => inLanes(LANES, size, tasks.run));
      total.bare += await timed(() => inLanes(LANES, size, async (index) => prepared[index]?.play()));
      for (const each of prepared) each.remove();
    }
    await tasks.close();
    await daemon.stop();
    const what = `throughput: ${TASKS} chore tasks, ${LANES} at a time`;
    return [
      {
        row: "b",
        what,
        unit: "ms",
        value: total.tasks,
        baseline: total.bare,
        target: atMost(total.tasks, 2 * total.bare, "2 ×"),
      },
    ];
  } finally {
    environment.remove();
  }
}
