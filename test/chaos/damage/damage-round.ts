import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, TaskJson } from "../../../src/http/client/client.ts";
import { startDaemon } from "../daemon.ts";
import { startNight } from "../night.ts";
import { kill, processesOf } from "../processes.ts";
import { crashAt, type Crash, type Round } from "../rounds.ts";
import { makeWorld, type World } from "../world.ts";

const DAMAGES = {
  empty: (file: string) => truncateSync(file, 0),
  truncated: (file: string) => truncateSync(file, Math.floor(lstatSync(file).size / 2)),
  overwritten: (file: string) => writeFileSync(file, "\0\u00ff{]7\n".repeat(20)),
} as const;
export type Damage = keyof typeof DAMAGES;
export const DAMAGE_NAMES = Object.keys(DAMAGES) as readonly Damage[];

const SETTLE_MS = 90_000;

export interface DamageRoundParams {
  readonly crash: Crash;
  readonly choose: (index: number) => Damage;
  /** Which kinds of files are damaged, by their path without ids. Default: all. */
  readonly includes?: (kind: string) => boolean;
}

/**
 * Crashes the daemon once, and then damages one file of its home after the other, each time in a fresh copy. After a restart,
 * the interrupted task must succeed. Where that is impossible, the daemon must say so, or work with what is left.
 */
export async function runDamageRound({ crash, choose, includes = () => true }: DamageRoundParams): Promise<Round> {
  const start = performance.now();
  const world = makeWorld();
  const violations: string[] = [];
  try {
    await prepareCopy(world, crash);
    const kinds = [...Map.groupBy(listFiles(world.home), kindOf)];
    const files = kinds.filter(([kind]) => !isOfAgent(kind) && includes(kind));
    for (const [index, [kind, [file = ""]]] of files.entries()) {
      const damage = choose(index);
      restoreCopy(world);
      chmodSync(join(world.home, file), 0o600);
      DAMAGES[damage](join(world.home, file));
      const problem = await findProblem(world, kind, damage);
      if (problem !== null) violations.push(`${kind} ${damage} at ${crash.point}: ${problem}`);
    }
    return {
      name: `damage at ${crash.point}`,
      kills: files.length,
      tasks: 1,
      violations,
      ms: performance.now() - start,
    };
  } finally {
    await killAll(world.home);
    world.remove();
  }
}

async function prepareCopy(world: World, crash: Crash): Promise<void> {
  await crashAt([crash])(await startNight(world));
  await killAll(world.home);
  // Files that only commands of a person write.
  mkdirSync(join(world.home, "auth"), { mode: 0o700 });
  const key = { value: "sk-0123456789", added_at: "2026-01-01T00:00:00Z" };
  writeFileSync(join(world.home, "auth", "keys.json"), JSON.stringify({ EXAMPLE_API_KEY: key }));
  const path = { path: "/usr/bin", from: "shell", shell: "/bin/sh", problem: null, recorded_at: key.added_at };
  writeFileSync(join(world.home, "path.json"), JSON.stringify(path));
  mkdirSync(join(world.dir, "copy"));
  for (const name of COPIED) execFileSync("cp", ["-a", join(world.dir, name), join(world.dir, "copy")]);
}

const COPIED = ["home", "remote.git"];

function restoreCopy(world: World): void {
  for (const name of COPIED) {
    rmSync(join(world.dir, name), { recursive: true, force: true });
    execFileSync("cp", ["-a", join(world.dir, "copy", name), world.dir]);
  }
}

function listFiles(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) =>
    lstatSync(join(home, path)).isFile(),
  );
}

/** The path without everything that differs between files of the same kind. */
function kindOf(path: string): string {
  return path
    .replaceAll(/(task|run)_[0-9a-z]{10}/g, "$1")
    .replaceAll(/[0-9a-f]{2}\/[0-9a-f]{38}\b/g, "object")
    .replaceAll(/pack-[0-9a-f]{40}/g, "pack")
    .replaceAll(/chaos-[0-9a-f]+/g, "chaos");
}

/** The agent's checkout may contain anything. Its git directory is never read, and after a power cut it is not used again. */
function isOfAgent(kind: string): boolean {
  return kind.startsWith("workspaces/task/run/");
}

async function findProblem(world: World, kind: string, damage: Damage): Promise<string | null> {
  const daemon = startDaemon(world.home);
  try {
    const client = await daemon.client;
    if (mustRefuse(kind, damage)) return client === null && daemon.hasEnded() ? null : "the daemon started";
    if (client === null) return "the daemon did not start";
    const expected = mayLoseWork(kind) ? [(await client.call("POST /tasks", { body: NEW_TASK })).id] : null;
    const tasks = (await settle(client)).filter(({ id }) => expected?.includes(id) ?? true);
    return tasks.length > 0 && tasks.every(({ status }) => status === "succeeded") ? null : describe(tasks);
  } finally {
    await daemon.stop();
    await killAll(world.home);
  }
}

const NEW_TASK = { project: "chaos", pipeline: "chore", description: "Do more.", agent: "quick" };

/** A person has to repair these. */
function mustRefuse(kind: string, damage: Damage): boolean {
  return kind === "nightshift.db" || (kind === "config.yaml" && damage !== "empty");
}

/** The last commits of the database, and the work of a task. They were flushed, so only a broken disk can lose them. */
function mayLoseWork(kind: string): boolean {
  return kind === "nightshift.db-wal" || /engine\.git\/objects\/.*\.pack$/.test(kind);
}

/** Waits until all tasks have ended. Parked tasks are retried at once. */
async function settle(client: Client): Promise<readonly TaskJson[]> {
  for (const start = performance.now(); ; await sleep(50)) {
    const { tasks } = await client.call("GET /tasks", { query: {} });
    const isOver = tasks.every(({ finished_at: finished }) => finished !== null);
    if (isOver || performance.now() - start > SETTLE_MS) return tasks;
    for (const { id, queued_for: queued } of tasks)
      if (queued?.kind === "machine") await client.call("POST /tasks/:id/retry", { params: { id }, body: {} });
  }
}

function describe(tasks: readonly TaskJson[]): string {
  return JSON.stringify(
    tasks.map(({ status, state, reason, queued_for: queued }) => ({ status, state, reason, queued })),
  );
}

async function killAll(home: string): Promise<void> {
  for (let left = processesOf(home); left.length > 0; left = processesOf(home)) {
    for (const found of left) kill(found);
    await sleep(10);
  }
}
