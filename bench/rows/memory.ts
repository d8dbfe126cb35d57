import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readSupervisor } from "../../src/adapters/process/job-files.ts";
import { homePaths } from "../../src/config/files/paths.ts";
import type { Client } from "../../src/http/client/client.ts";
import { createBenchEnvironment, openDaemon, PROJECT, register, type BenchEnvironment } from "../environment.ts";
import { readMemory } from "../read-memory.ts";
import { atMost, type Measured } from "../report.ts";
import { inLanes } from "../statistics.ts";

const STEPS = [0, 10, 50];
const SETTLE_MS = 2_000;

/** The agents only sleep, so that our own memory is measured. */
export async function measureMemory(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment("exec sleep 600", 60);
  const daemon = await openDaemon(environment);
  try {
    await register(environment, daemon.client);
    const rows: Measured[] = [];
    let tasks: readonly string[] = [];
    for (const count of STEPS) {
      tasks = [...tasks, ...(await submit(daemon.client, count - tasks.length))];
      await waitForAgents(environment, count);
      await sleep(SETTLE_MS);
      rows.push(daemonRow(count, readMemory(daemon.pid, "status", "VmRSS"), rows[0]?.value ?? null));
    }
    rows.push(...supervisorRows(supervisors(environment)));
    await inLanes(8, tasks.length, (index) =>
      daemon.client.call("POST /tasks/:id/kill", { params: { id: tasks[index] ?? "" } }),
    );
    return rows;
  } finally {
    await daemon.stop();
    environment.remove();
  }
}

function daemonRow(count: number, value: number, baseline: number | null): Measured {
  const target = count === STEPS.at(-1) ? atMost(value, 120, "120 MB") : null;
  return { row: "f", what: `daemon's RSS with ${count} running agents`, unit: "MB", value, baseline, target };
}

function supervisorRows(pids: readonly number[]): readonly Measured[] {
  const sizes = pids.map((pid) => readMemory(pid, "smaps_rollup", "Pss"));
  const [largest, sum] = [Math.max(...sizes), sizes.reduce((a, b) => a + b, 0)];
  const row = { row: "f", unit: "MB", baseline: null } as const;
  return [
    {
      ...row,
      what: `a supervisor's PSS, the largest of ${pids.length}`,
      value: largest,
      target: atMost(largest, 30, "30 MB"),
    },
    { ...row, what: `a supervisor's PSS, the mean of ${pids.length}`, value: sum / pids.length, target: null },
  ];
}

async function submit(client: Client, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id } = await client.call("POST /tasks", {
      body: { project: PROJECT, pipeline: "chore", description: "Sleep" },
    });
    ids.push(id);
  }
  return ids;
}

async function waitForAgents(environment: BenchEnvironment, count: number): Promise<void> {
  const runs = homePaths(environment.home).runs;
  const started = (): number =>
    existsSync(runs) ? readdirSync(runs).filter((run) => existsSync(join(runs, run, "process.json"))).length : 0;
  while (started() < count) await sleep(100);
}

function supervisors(environment: BenchEnvironment): readonly number[] {
  const runs = homePaths(environment.home).runs;
  return readdirSync(runs).flatMap((run) => readSupervisor(join(runs, run))?.pid ?? []);
}
