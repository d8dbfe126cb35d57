import { execFile } from "node:child_process";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createGitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import { createBenchEnvironment, PROJECT, QUICK_AGENT, type BenchEnvironment } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { interleave, median, timed } from "../statistics.ts";

const execute = promisify(execFile);
const FILES = 50_000;
const ROUNDS = 3;
const WORKER = "run_agent";
const PREPARED = `${WORKER}.prepared`;

/** Measures how long a run waits for its workspace in a large repository: an agent, and the checks after it. */
export async function measureWorkspace(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(QUICK_AGENT, 1, { files: FILES });
  try {
    return toRows(await measure(environment));
  } finally {
    environment.remove();
  }
}

interface Times {
  readonly worktree: readonly number[];
  readonly agent: readonly number[];
  readonly checks: readonly number[];
  readonly unprepared: readonly number[];
}

async function measure({ root, home, remote }: BenchEnvironment): Promise<Times> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const dirs = { mirrorsDir: join(home, "mirrors"), workspacesDir: join(home, "workspaces") };
  const workspaces = createGitWorkspaces({ ...dirs, identity: { name: "Bench", email: "bench@localhost" }, log });
  const source = { project: PROJECT, remote, defaultBranch: "main" };
  const { commit: base } = await workspaces.sync(source);
  let round = 0;
  const open = async (task: string, name: string, commit: string, prepared: string | null) =>
    await workspaces.open({ project: PROJECT, task, name, commit, branch: "agent/x", prepared, copy: null, ports: 10 });
  /** A task whose agent has changed one file, ready for its checks. */
  const startChecks = async (isPrepared: boolean): Promise<number> => {
    const task = `task_${round++}`;
    const { path } = await open(task, WORKER, base, null);
    if (isPrepared) await workspaces.prepare({ project: PROJECT, task, name: PREPARED, commit: base });
    appendFileSync(join(path, "README"), "changed\n");
    const { commit } = await workspaces.collect({ project: PROJECT, task, name: WORKER, message: "change", at: 0 });
    const ms = await timed(() => open(task, "run_checks", commit ?? base, PREPARED));
    await workspaces.remove(task);
    return ms;
  };
  return await interleave(ROUNDS, {
    async worktree() {
      const dir = join(root, "worktree");
      const ms = await timed(() =>
        execute("git", ["-C", remote, "worktree", "add", "--quiet", "--detach", dir, "main"]),
      );
      rmSync(dir, { recursive: true });
      await execute("git", ["-C", remote, "worktree", "prune"]);
      return ms;
    },
    async agent() {
      const task = `task_${round++}`;
      const ms = await timed(async () => open(task, WORKER, (await workspaces.sync(source)).commit, null));
      await workspaces.remove(task);
      return ms;
    },
    checks: () => startChecks(true),
    unprepared: () => startChecks(false),
  });
}

function toRows({ worktree, agent, checks, unprepared }: Times): readonly Measured[] {
  const baseline = median(worktree);
  const value = median(agent);
  const where = `in a repository of ${FILES} files`;
  return [
    {
      row: "o",
      what: `workspace ready for an agent ${where}, with its sync (baseline: git worktree add)`,
      unit: "ms",
      value,
      baseline,
      target: atMost(value, 1.3 * baseline, "1.3 ×"),
    },
    {
      row: "o",
      what: "the same, fastest of all rounds",
      unit: "ms",
      value: Math.min(...agent),
      baseline: Math.min(...worktree),
      target: null,
    },
    {
      row: "o",
      what: `workspace ready for the checks ${where}, prepared while the agent worked (baseline: not prepared)`,
      unit: "ms",
      value: median(checks),
      baseline: median(unprepared),
      target: null,
    },
  ];
}
