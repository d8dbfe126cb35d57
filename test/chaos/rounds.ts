import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Checkpoint } from "../../src/ports/checkpoint.ts";
import { withMounts } from "./disk.ts";
import { inspect } from "./inspect.ts";
import { startNight, type Night } from "./night.ts";
import { agentsOf, kill, processesOf, supervisorsOf, type FoundProcess } from "./processes.ts";
import type { Random } from "./random.ts";
import { KIND_NAMES, type KindName } from "./scripts.ts";
import { makeWorld } from "./world.ts";

export interface Round {
  readonly name: string;
  readonly kills: number;
  readonly tasks: number;
  readonly violations: readonly string[];
  readonly ms: number;
}

/** Longer than any retry after a kill, even on a busy machine. */
const SETTLE_MS = 90_000;
const CRASH_MS = 20_000;

export interface RoundOptions {
  readonly dir?: string;
  readonly withPowerCut?: boolean;
}

/** Creates a world, runs `harm` in it, which returns its number of kills, and then checks all invariants. */
export async function runRound(
  what: string,
  harm: (night: Night) => Promise<number>,
  { dir, withPowerCut = false }: RoundOptions = {},
): Promise<Round> {
  const start = performance.now();
  const world = makeWorld(dir, withPowerCut);
  try {
    return { name: what, ...(await runAndInspect(await startNight(world), harm)), ms: performance.now() - start };
  } catch (error) {
    const violations = [`the round failed: ${String(error)}`];
    return { name: what, kills: 0, tasks: 0, violations, ms: performance.now() - start };
  } finally {
    for (const found of processesOf(world.home)) kill(found);
    if (dir === undefined && process.env["CHAOS_KEEP"] === undefined) world.remove();
  }
}

async function runAndInspect(
  night: Night,
  harm: (night: Night) => Promise<number>,
): Promise<Pick<Round, "kills" | "tasks" | "violations">> {
  const kills = await harm(night);
  const open = await night.settle(SETTLE_MS);
  await night.stop();
  const stuck = open.map(
    ({ id, state, status, queued_for: queued }) => `${id} stays ${status} in ${state} ${JSON.stringify(queued)}`,
  );
  return { kills, tasks: night.submitted.length, violations: [...stuck, ...(await inspect(night))] };
}

/** Fills the disk of the home completely and frees it again, in a process that may mount a disk. */
export async function runDiskRound(seed: number, fillings: number): Promise<Round> {
  const dir = mkdtempSync(join(tmpdir(), "nightshift-chaos-"));
  const entry = fileURLToPath(new URL("disk-round.ts", import.meta.url));
  const [program, ...args] = withMounts([
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    entry,
    dir,
    String(seed),
    String(fillings),
  ]);
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: 2 * SETTLE_MS });
    // The cast is safe: runRound in that process writes this JSON.
    return JSON.parse(stdout) as Round;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Kills the daemon at random times. */
export function killDaemons(random: Random, kills: number): (night: Night) => Promise<number> {
  return async (night) => {
    for (const kind of KIND_NAMES) await night.submit(kind);
    for (let remaining = kills; remaining > 0; remaining--) {
      if (remaining % 3 === 0) await night.submit(random.pick(KIND_NAMES));
      // Every other kill may hit the daemon during its start, before any request.
      if (remaining % 2 === 0) await night.answer();
      await night.killDaemon(random.between(0, 1500));
    }
    return kills;
  };
}

export interface Crash {
  readonly point: Checkpoint;
  /** Crash at the n-th time that this checkpoint is passed. */
  readonly pass: number;
}

/**
 * Kills the daemon at checkpoints and then does what `after` says. Reports checkpoints that were never reached, because they
 * prove nothing.
 */
export function crashAt(
  crashes: readonly Crash[],
  after: (night: Night, point: Checkpoint) => Promise<void> = async () => undefined,
): (night: Night) => Promise<number> {
  return async (night) => {
    for (const { point, pass } of crashes) {
      const daemon = await night.startCrashing(`${point}:${pass}`);
      for (const start = performance.now(); !daemon.hasEnded(); await sleep(20)) {
        if (performance.now() - start > CRASH_MS) throw new Error(`the daemon did not reach ${point} ${pass} times`);
        if ((await daemon.client) === null) break;
        // Open tasks of earlier crashes pass most checkpoints. The others need new work.
        if (openTasks(night) < pass || point === "submit.committed") await night.submit("quick");
      }
      await after(night, point);
    }
    return crashes.length;
  };
}

/** Cuts the power at checkpoints: all processes end, and of the files that were not flushed only this share survives. */
export function cutPowerAt(
  crashes: readonly Crash[],
  { survivingPercent, random }: { readonly survivingPercent: number; readonly random: Random },
): (night: Night) => Promise<number> {
  return crashAt(crashes, async ({ world: { home, powerCut } }, point) => {
    // A killed process takes a moment to end, and must not write after the cut.
    for (let left = processesOf(home); left.length > 0; left = processesOf(home)) {
      for (const found of left) kill(found);
      await sleep(10);
    }
    const lost = powerCut?.restore(survivingPercent, random.between(1, 1e9)) ?? [];
    if (process.env["CHAOS_VERBOSE"] !== undefined) for (const line of lost) console.error(`${point}: ${line}`);
  });
}

/** Kills daemon, supervisors, agents and checks at the same time, like a power loss. Each counts as one kill. */
export function killAll(random: Random, kills: number): (night: Night) => Promise<number> {
  return async (night) => {
    for (let remaining = kills; remaining > 0; remaining--) {
      await night.submit(random.pick(["quick", "slow"]));
      await sleep(random.between(100, 2500));
      for (const found of processesOf(night.world.home)) kill(found);
    }
    return kills;
  };
}

/** Kills supervisors at any time of their run. The engine tolerates three lost supervisors per state. */
export function killSupervisors(random: Random, kills: number): (night: Night) => Promise<number> {
  return (night) =>
    killRepeatedly(night, { random, kills, findTargets: supervisorsOf, kinds: KIND_NAMES, maxPerTask: 2 });
}

/** Kills one agent per task. The engine retries after one failure, but not after two identical ones. */
export function killAgents(random: Random, kills: number): (night: Night) => Promise<number> {
  return (night) => killRepeatedly(night, { random, kills, findTargets: agentsOf, kinds: ["slow"], maxPerTask: 1 });
}

interface KillOptions {
  readonly random: Random;
  readonly kills: number;
  readonly findTargets: (home: string) => readonly FoundProcess[];
  readonly kinds: readonly KindName[];
  readonly maxPerTask: number;
}

async function killRepeatedly(
  night: Night,
  { random, kills, findTargets, kinds, maxPerTask }: KillOptions,
): Promise<number> {
  const { home } = night.world;
  const killed = new Map<string, number>();
  const deadline = performance.now() + SETTLE_MS;
  for (let done = 0; done < kills;) {
    if (performance.now() > deadline) throw new Error(`only ${done} of ${kills} processes were found and killed`);
    await night.answer();
    if (openTasks(night) < 3) await night.submit(random.pick(kinds));
    await sleep(random.between(10, 250));
    const found = findTargets(home).map((each) => ({ ...each, task: taskOf(night, each) }));
    const allowed = found.filter(({ task }) => task !== null && (killed.get(task) ?? 0) < maxPerTask);
    if (allowed.length === 0) continue;
    const { task, ...victim } = random.pick(allowed);
    if (task === null || !kill(victim)) continue;
    killed.set(task, (killed.get(task) ?? 0) + 1);
    done++;
  }
  return kills;
}

function openTasks({ submitted, seen }: Night): number {
  return submitted.length - seen.filter(({ type }) => type === "task.ended").length;
}

/** Returns the task that the process works for, found by the run in its command line or environment. */
function taskOf(night: Night, { run }: FoundProcess): string | null {
  return night.seen.find((event) => event.run === run && event.task !== null)?.task ?? null;
}
