import { createBenchEnvironment, openDaemon, PROJECT, register } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { quantile, timed } from "../statistics.ts";

const ROUNDS = 300;

/**
 * A queued task is paused and resumed. Each is one commit with one event and nothing else. An event has the time right before
 * its commit, so the latency includes the commit.
 */
export async function measureLatency(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment("exec sleep 600", 1);
  const daemon = await openDaemon(environment);
  try {
    const { client } = daemon;
    await register(environment, client);
    const body = { project: PROJECT, pipeline: "chore", description: "Wait" };
    const running = await client.call("POST /tasks", { body });
    const { id } = await client.call("POST /tasks", { body });
    const stop = new AbortController();
    const latencies: number[] = [];
    const trips: number[] = [];
    const heard = follow();
    for (let round = 0; round < ROUNDS; round += 1) {
      await client.call(round % 2 === 0 ? "POST /tasks/:id/pause" : "POST /tasks/:id/resume", { params: { id } });
      trips.push(await timed(() => client.call("GET /healthz")));
    }
    await heard;
    for (const task of [id, running.id]) await client.call("POST /tasks/:id/kill", { params: { id: task } });
    return [
      row("p50", quantile(latencies, 0.5), quantile(trips, 0.5)),
      {
        ...row("p99", quantile(latencies, 0.99), quantile(trips, 0.99)),
        target: atMost(quantile(latencies, 0.99), 50, "50 ms"),
      },
    ];

    async function follow(): Promise<void> {
      for await (const event of client.events({ signal: stop.signal, after: 0, task: id })) {
        if (event.type !== "task.paused" && event.type !== "task.resumed") continue;
        latencies.push(Date.now() - Date.parse(event.at));
        if (latencies.length === ROUNDS) return;
      }
    }
  } finally {
    await daemon.stop();
    environment.remove();
  }
}

function row(which: string, value: number, baseline: number): Measured {
  return {
    row: "c",
    what: `event from its commit to a subscriber, ${which} (baseline: GET /healthz)`,
    unit: "ms",
    value,
    baseline,
    target: null,
  };
}
