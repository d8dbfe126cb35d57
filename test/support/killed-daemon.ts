import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { readSupervisor } from "../../src/adapters/process/job-files.ts";
import type { DaemonFile } from "../../src/daemon/daemon-file.ts";
import { createClient, type EventJson, type TaskJson } from "../../src/http/client/client.ts";
import { filesBelow } from "./cleanup-checks.ts";
import { BIN, type User } from "./cli-user.ts";

const execute = promisify(execFile);
export const WAIT = { timeout: 120_000, interval: 50 };

/** The shell commands of an agent or a check that notes its start in `started` and waits until it is released. */
export const gated = (dir: string, name: string): string =>
  `echo ${name} >> ${dir}/started; until [ -e ${dir}/release-${name} ]; do sleep 0.05; done`;

/** A user whose daemon is killed again and again. Commands start a new one. */
export interface KilledDaemon {
  /** Runs the CLI. A daemon that it starts kills itself at the checkpoint `crashAt`. */
  call(args: readonly string[], crashAt?: string): Promise<string>;
  kill(): Promise<void>;
  waitForDeath(): Promise<void>;
  /** The gated agents and checks that started, in order. */
  started(): readonly string[];
  release(name: string): void;
  /** Kills the daemon while this agent or check works, starts another one, and lets the work continue. */
  killDuring(name: string, crashAt?: string): Promise<void>;
  /** Kills the daemon while the task waits in this state, and starts another one. */
  killWhileWaiting(id: string, state: string, crashAt?: string): Promise<TaskJson>;
  show(id: string): Promise<TaskJson>;
  approve(task: TaskJson): Promise<void>;
  events(id: string): Promise<readonly EventJson[]>;
  /** Expects that no files are left in these folders of the home. Restarts the daemon, which removes leftovers at once then. */
  expectEmpty(...folders: readonly string[]): Promise<void>;
}

export function createKilledDaemon(user: User, env: Readonly<Record<string, string>> = {}): KilledDaemon {
  const started = join(user.repo.path, "started");
  const daemon: KilledDaemon = {
    async call(args, crashAt = "") {
      const given = { ...user.env, ...env, NIGHTSHIFT_CRASH_AT: crashAt };
      return (
        await execute(process.execPath, [BIN, ...args], { cwd: user.repo.checkout, env: given, timeout: 100_000 })
      ).stdout;
    },
    async kill() {
      const pid = findDaemon(user.home);
      if (pid !== null) process.kill(pid, "SIGKILL");
      await daemon.waitForDeath();
    },
    async waitForDeath() {
      await expect.poll(() => findDaemon(user.home), WAIT).toBeNull();
    },
    started: () => (existsSync(started) ? readFileSync(started, "utf8").trim().split("\n") : []),
    release: (name) => writeFileSync(join(user.repo.path, `release-${name}`), ""),
    async killDuring(name, crashAt) {
      await expect.poll(daemon.started, WAIT).toContain(name);
      await daemon.kill();
      await daemon.call(["start"], crashAt);
      daemon.release(name);
    },
    async killWhileWaiting(id, state, crashAt) {
      const look = async (): Promise<string> => {
        const task = await daemon.show(id);
        return `${task.status} in ${task.state}`;
      };
      await expect.poll(look, WAIT).toBe(`waiting in ${state}`);
      await daemon.kill();
      await daemon.call(["start"], crashAt);
      expect(await look()).toBe(`waiting in ${state}`);
      return daemon.show(id);
    },
    show: async (id) => JSON.parse(await daemon.call(["show", id, "--json"])) as TaskJson,
    async approve(task) {
      const hash = task.waiting_for?.kind === "approval" ? `${task.waiting_for.plan_hash}` : "";
      await daemon.call(["approve", task.id, "--plan", hash]);
    },
    async expectEmpty(...folders) {
      await daemon.kill();
      await daemon.call(["start"]);
      for (const folder of folders) await expect.poll(() => filesBelow(join(user.home, folder)), WAIT).toEqual([]);
    },
    async events(id) {
      const { url, token } = JSON.parse(readFileSync(join(user.home, "daemon.json"), "utf8")) as DaemonFile;
      const client = createClient({ url, token });
      return (await client.call("GET /tasks/:id/events", { params: { id }, query: { limit: 1000 } })).events;
    },
  };
  return daemon;
}

function findDaemon(home: string): number | null {
  const file = join(home, "daemon.json");
  if (!existsSync(file)) return null;
  const { pid } = JSON.parse(readFileSync(file, "utf8")) as { pid: number };
  try {
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}

/** The states that the task entered, in order. */
export function statesOf(events: readonly EventJson[]): readonly unknown[] {
  return events.filter(({ type }) => type === "task.state").map(({ data }) => data["to"]);
}

/** Expects that each run started once and ended once. */
export function expectNoDoubleRuns(events: readonly EventJson[]): void {
  const runs = events.filter(({ type }) => type === "run.started" || type === "run.ended");
  expect(new Set(runs.map(({ type, run }) => `${type} ${run}`)).size).toBe(runs.length);
}

/** Kills the supervisor of the run with this directory. Throws if there is none, because pid 0 would be this process group. */
export function killSupervisor(runDir: string): void {
  const pid = readSupervisor(runDir)?.pid ?? 0;
  if (pid < 2) throw new Error(`${runDir} has no supervisor`);
  process.kill(pid, "SIGKILL");
}
