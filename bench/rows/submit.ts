import { openBareTable } from "../bare-table.ts";
import { createBenchEnvironment, openDaemon, PROJECT, register } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { inLanes, quantile, timed } from "../statistics.ts";

const TASKS = 500;
const CLIENTS = 20;
/** Submits and inserts alternate in batches, so that other load affects both. */
const BATCHES = 5;

/** Many clients submit at once. Each task is durable when its submit is answered, and so is each bare insert. */
export async function measureSubmit(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment("exec sleep 600", 1);
  const daemon = await openDaemon(environment);
  const bare = openBareTable(environment);
  try {
    await register(environment, daemon.client);
    const latencies: number[] = [];
    const total = { submits: 0, inserts: 0 };
    const size = TASKS / BATCHES;
    for (let batch = 0; batch < BATCHES; batch += 1) {
      total.submits += await timed(() =>
        inLanes(CLIENTS, size, async (index) => {
          const description = `Change line ${index} of batch ${batch}`;
          const body = { project: PROJECT, pipeline: "chore", description };
          latencies.push(await timed(() => daemon.client.call("POST /tasks", { body })));
        }),
      );
      total.inserts += await timed(() =>
        inLanes(CLIENTS, size, async (index) => {
          await daemon.client.call("GET /healthz");
          bare.insert(index);
        }),
      );
    }
    const what = `${TASKS} submits by ${CLIENTS} clients at once`;
    return [
      {
        row: "n",
        what: `${what}, in total (baseline: GET /healthz and a durable insert into SQLite each)`,
        unit: "ms",
        value: total.submits,
        baseline: total.inserts,
        target: atMost(total.submits, 3 * total.inserts, "3 ×"),
      },
      {
        row: "n",
        what: `${what}, p50 of one`,
        unit: "ms",
        value: quantile(latencies, 0.5),
        baseline: null,
        target: null,
      },
      {
        row: "n",
        what: `${what}, p99 of one`,
        unit: "ms",
        value: quantile(latencies, 0.99),
        baseline: null,
        target: null,
      },
    ];
  } finally {
    bare.close();
    await daemon.stop({ force: true });
    environment.remove();
  }
}
