import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareSocketPath } from "../../src/adapters/process/socket-path.ts";
import type { Attempt, Ground, Play, Result, Scene, Stage } from "./attack.ts";
import { Absent } from "./attack.ts";
import type { Orders } from "./attacker.ts";
import { openBench } from "./bench.ts";
import type { Bench } from "./bench.ts";
import type { Topic } from "./topics.ts";
import { openScene, RELAY_PORT, scenePolicy } from "./scene.ts";
import type { OpenScene } from "./scene.ts";

/** The places where attacks run: inside the sandbox and without one. Each has its own decoys. */
export interface Grounds {
  readonly topic: Topic;
  readonly wall: Place;
  readonly open: Place;
  close(): Promise<void>;
}

interface Place {
  readonly scene: OpenScene;
  readonly bench: Bench;
}

export async function openGrounds(kit: string, topic: Topic): Promise<Grounds> {
  const [wall, open] = await Promise.all([openPlace(kit), openPlace(kit)]);
  return {
    topic,
    wall,
    open,
    async close() {
      for (const { bench, scene } of [wall, open]) {
        await bench.close();
        await scene.close();
      }
    },
  };
}

async function openPlace(kit: string): Promise<Place> {
  const scene = await openScene(kit);
  return { scene, bench: openBench(scene.nightshift) };
}

/** Attacks that do not disturb each other share a process; the others get one each. */
export async function tryAttempts(
  grounds: Grounds,
  on: Ground | "wall",
  attempts: readonly Attempt[],
): Promise<Record<string, Result>> {
  const alone = attempts.filter((attempt) => attempt.alone === true).map((attempt) => [attempt]);
  const together = attempts.filter((attempt) => attempt.alone !== true);
  const groups = [...(together.length === 0 ? [] : [together]), ...alone];
  const results = await Promise.all(groups.map((group) => tryGroup(grounds, on, group)));
  return Object.assign({}, ...results) as Record<string, Result>;
}

async function tryGroup(
  grounds: Grounds,
  on: Ground | "wall",
  attempts: readonly Attempt[],
): Promise<Record<string, Result>> {
  const { scene, bench } = on === "wall" ? grounds.wall : grounds.open;
  const names = attempts.map(({ name }) => name);
  const said = await attack(grounds.topic, names, { on, scene, bench });
  const results: Record<string, Result> = {};
  for (const { name, harm } of attempts) {
    const own = said.get(name) ?? { outcome: "broken" as const, said: `no answer. ${said.get("")?.said ?? ""}` };
    const done = harm?.(scene) ?? null;
    // If there is an outside check, the attacker's own result does not count, but the attempt must have run.
    if (harm === undefined || own.outcome === "broken" || own.outcome === "absent") results[name] = own;
    else results[name] = done === null ? { outcome: "stopped", said: own.said } : { outcome: "worked", said: done };
  }
  return results;
}

let calls = 0;

async function attack(
  topic: Topic,
  names: readonly string[],
  { on, scene, bench }: Place & { readonly on: Ground | "wall" },
): Promise<Map<string, Result>> {
  const file = join(scene.readable, `orders-${calls++}.json`);
  const argv = [process.execPath, join(scene.kit, "test/attacks/attacker.ts"), file] as const;
  const orders: Orders = { topic, names, scene: seenFrom(on, scene) };
  if (on === "child") {
    writeFileSync(file, JSON.stringify(orders));
    const { stdout, stderr } = spawnSync(argv[0], argv.slice(1), {
      cwd: scene.work,
      encoding: "utf8",
      timeout: 30_000,
    });
    return readAnswers(stdout, stderr);
  }
  const isWall = on === "wall";
  const job = bench.job({
    sandbox: isWall ? "enforce" : "none",
    argv: on === "namespace" ? [...THROW_AWAY, ...argv] : argv,
    policy: scenePolicy(scene, isWall && topic === "network" ? { network: ["allowed.example:443"] } : {}),
  });
  const controlSocket = prepareSocketPath(scene.nightshift, job.dir);
  writeFileSync(file, JSON.stringify({ ...orders, scene: { ...orders.scene, controlSocket } }));
  await bench.supervisors.start(job);
  const { stdout, stderr, notes, record } = await bench.finish(job);
  return readAnswers(stdout, `${stderr} ${notes} ${JSON.stringify(record.error)}`);
}

/** Temporary namespaces in which the attacker is root. */
const THROW_AWAY = [
  "unshare",
  "--user",
  "--map-root-user",
  "--mount",
  "--pid",
  "--fork",
  "--kill-child",
  "--mount-proc",
  "--net",
  "--ipc",
  "--uts",
  "--cgroup",
] as const;

function seenFrom(on: Ground | "wall", scene: Scene): Scene {
  return on === "wall" ? { ...scene, proxyPort: RELAY_PORT } : scene;
}

function readAnswers(stdout: string, complaint: string): Map<string, Result> {
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const answers = lines.map((line) => JSON.parse(line) as Result & { readonly name: string });
  return new Map([
    ...answers.map(({ name, outcome, said }): [string, Result] => [name, { outcome, said }]),
    ["", { outcome: "broken", said: complaint }],
  ]);
}

/** A multi-step attack creates its own files; the scene provides the decoys. */
export async function playOut({ wall: { scene, bench } }: Grounds, play: Play["guarded"]): Promise<Result> {
  mkdirSync(join(scene.root, "plays"), { recursive: true, mode: 0o755 });
  const dir = mkdtempSync(join(scene.root, "plays", "p-"));
  const stage: Stage = { scene, dir, bench, run: bench.run };
  try {
    const harm = await play(stage);
    return harm === null ? { outcome: "stopped", said: "" } : { outcome: "worked", said: harm };
  } catch (error) {
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { outcome: error instanceof Absent ? "absent" : "broken", said };
  }
}
