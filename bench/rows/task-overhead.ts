import { join } from "node:path";
import { homePaths } from "../../src/config/files/paths.ts";
import { prepareBare, type BareTask } from "../bare.ts";
import { countCommits } from "../count-commits.ts";
import { createBenchEnvironment, openDaemon, QUICK_AGENT, register, type BenchEnvironment } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { interleave, median, timed } from "../statistics.ts";
import { openTaskRunner } from "../tasks.ts";
import { installTracer } from "../trace-git.ts";

const ROUNDS = 15;
/** The agent and the check. */
const PROCESSES = 2;

export async function measureTaskOverhead(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(QUICK_AGENT, 8);
  try {
    const bare = await traceTask(environment);
    const daemon = await openDaemon(environment);
    const tasks = openTaskRunner(daemon.client);
    let round = 0;
    const measured = await interleave(ROUNDS, {
      task: tasks.run,
      async bare() {
        const prepared = prepareBare(bare, environment.root, join(environment.root, "bare", String(round++)));
        const ms = await timed(prepared.play);
        prepared.remove();
        return ms;
      },
    });
    await tasks.close();
    await daemon.stop();
    const what = `one chore task (bare: ${bare.calls.length} git calls, ${bare.processes} × node -e 0, ${bare.commits} fsyncs)`;
    return [
      row(`task overhead: ${what}`, median(measured.task), median(measured.bare)),
      row("the same, fastest of all rounds", Math.min(...measured.task), Math.min(...measured.bare)),
    ];
  } finally {
    environment.remove();
  }
}

function row(what: string, value: number, baseline: number): Measured {
  const limit = Math.min(2 * baseline, baseline + 250);
  return { row: "a", what, unit: "ms", value, baseline, target: atMost(value, limit, "2 × and ≤ 250 ms more") };
}

/** Records all git calls of one task, after another task has created the mirror. */
export async function traceTask(environment: BenchEnvironment): Promise<BareTask> {
  const first = await openDaemon(environment);
  await register(environment, first.client);
  const warmUp = openTaskRunner(first.client);
  await warmUp.run();
  const wal = `${homePaths(environment.home).db}-wal`;
  const before = countCommits(wal);
  await warmUp.run();
  const commits = countCommits(wal) - before;
  await warmUp.close();
  await first.stop();
  const tracer = installTracer(environment);
  const second = await openDaemon(environment, { PATH: tracer.path });
  const tasks = openTaskRunner(second.client);
  await tasks.run();
  await tasks.close();
  await second.stop();
  // The user's identity is read once per daemon.
  const calls = tracer.read().filter(({ argv }) => !argv.includes("config"));
  return { calls, processes: PROCESSES, commits };
}
