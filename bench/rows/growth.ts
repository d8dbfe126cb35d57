import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { homePaths } from "../../src/config/files/paths.ts";
import type { Client } from "../../src/http/client/client.ts";
import { createBenchEnvironment, openDaemon, PROJECT, QUICK_AGENT, register, type Daemon } from "../environment.ts";
import { fillStore } from "../fill-store.ts";
import { atMost, type Measured } from "../report.ts";
import { interleave, median, timed } from "../statistics.ts";

const SMALL = 1_000;
const LARGE = 100_000;
const ROUNDS = 31;
/** Calls per measurement, so that one takes long enough to be measured. */
const CALLS = 5;
const MAX_RATIO = 1.3;
const IDLE_MS = 12_000;
const IDLE_ROUNDS = 5;

const WAITING = "queued,running,waiting,paused";
/** A task and a run that `fillStore` writes. */
const TASK = "task_0000000500";
const RUN = "run_500x0";

const REQUESTS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  "GET /status": (client) => client.call("GET /status"),
  "GET /costs": (client) => client.call("GET /costs"),
  "GET /costs?project&by=model": (client) => client.call("GET /costs", { query: { project: PROJECT, by: "model" } }),
  "GET /costs?since=9999d": (client) => client.call("GET /costs", { query: { since: "9999d" } }),
  "GET /budgets": (client) => client.call("GET /budgets"),
  "GET /tasks": (client) => client.call("GET /tasks"),
  "GET /tasks?status=failed": (client) => client.call("GET /tasks", { query: { status: "failed" } }),
  "GET /tasks?project&status=…": (client) =>
    client.call("GET /tasks", { query: { project: PROJECT, status: WAITING } }),
  "GET /tasks?state": (client) => client.call("GET /tasks", { query: { state: "checking" } }),
  "GET /tasks/:id": (client) => client.call("GET /tasks/:id", { params: { id: TASK } }),
  "GET /tasks/:id/events": (client) => client.call("GET /tasks/:id/events", { params: { id: TASK } }),
  "GET /runs": (client) => client.call("GET /runs"),
  "GET /runs?status=failed": (client) => client.call("GET /runs", { query: { status: "failed" } }),
  "GET /runs?project&status=succeeded": (client) =>
    client.call("GET /runs", { query: { project: PROJECT, status: "succeeded" } }),
  "GET /runs/:id": (client) => client.call("GET /runs/:id", { params: { id: RUN } }),
  "GET /events?task": readEvents,
  "GET /proposals?status=published": (client) => client.call("GET /proposals", { query: { status: "published" } }),
  "GET /schedules": (client) => client.call("GET /schedules"),
};

/** Two daemons with the same kind of tasks, of which one has a hundred times as many. They are measured in turn. */
export async function measureGrowth(): Promise<readonly Measured[]> {
  const [small, large] = [await openFilled(SMALL), await openFilled(LARGE)];
  try {
    const rows: Measured[] = [];
    for (const [what, request] of Object.entries(REQUESTS)) {
      const measured = await interleave(ROUNDS, {
        small: () => timePerCall(() => request(small.daemon.client)),
        large: () => timePerCall(() => request(large.daemon.client)),
      });
      rows.push(rowOf(what, median(measured.large), median(measured.small)));
    }
    rows.push(await measureIdle(small.daemon.pid, large.daemon.pid));
    return rows;
  } finally {
    await small.close();
    await large.close();
  }
}

function rowOf(what: string, value: number, baseline: number): Measured {
  const target = atMost(value / baseline, MAX_RATIO, `${MAX_RATIO} ×`);
  return {
    row: "m",
    what: `${what}, ${LARGE} finished tasks (baseline: ${SMALL})`,
    unit: "ms",
    value,
    baseline,
    target,
  };
}

async function openFilled(count: number): Promise<{ readonly daemon: Daemon; readonly close: () => Promise<void> }> {
  const environment = createBenchEnvironment(QUICK_AGENT, 2);
  await fillStore(homePaths(environment.home).db, count, PROJECT);
  const daemon = await openDaemon(environment);
  await register(environment, daemon.client);
  return {
    daemon,
    async close() {
      await daemon.stop();
      environment.remove();
    },
  };
}

async function timePerCall(call: () => Promise<unknown>): Promise<number> {
  const ms = await timed(async () => {
    for (let index = 0; index < CALLS; index += 1) await call();
  });
  return ms / CALLS;
}

/** The stream stays open, so it is left after the events of one task. */
async function readEvents(client: Client): Promise<void> {
  const stop = new AbortController();
  for await (const event of client.events({ signal: stop.signal, after: 0, task: TASK }))
    if (event.type === "task.ended") return stop.abort();
}

/** Both daemons at the same time, so that other load affects both. */
async function measureIdle(small: number, large: number): Promise<Measured> {
  const used = { small: [] as number[], large: [] as number[] };
  for (let round = 0; round < IDLE_ROUNDS; round += 1) {
    const before = { small: cpuMs(small), large: cpuMs(large) };
    await sleep(IDLE_MS);
    used.small.push(cpuMs(small) - before.small);
    used.large.push(cpuMs(large) - before.large);
  }
  return rowOf(`processor time of the idle daemon in ${IDLE_MS / 1_000} s`, median(used.large), median(used.small));
}

/** Processor time of all threads. */
function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return threads.reduce((sum, ns) => sum + ns, 0) / 1e6;
}
