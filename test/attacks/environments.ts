import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareSocketPath } from "../../src/adapters/process/socket-path.ts";
import type { Attempt, ControlEnvironment, MultiStepAttack, Result, Fixture, AttackContext } from "./attack.ts";
import { Absent } from "./attack.ts";
import type { AttackerInput } from "./attacker.ts";
import { createJobRunner } from "./job-runner.ts";
import type { JobRunner } from "./job-runner.ts";
import type { Topic } from "./topics.ts";
import { createFixture, RELAY_PORT, fixturePolicy } from "./fixture.ts";
import type { OpenFixture } from "./fixture.ts";

/** Attacks run in a sandbox and without one. Each environment has its own decoys. */
export interface Environments {
  readonly topic: Topic;
  readonly sandboxed: Environment;
  readonly unsandboxed: Environment;
  close(): Promise<void>;
}

interface Environment {
  readonly fixture: OpenFixture;
  readonly runner: JobRunner;
}

export async function createEnvironments(kit: string, topic: Topic): Promise<Environments> {
  const [sandboxed, unsandboxed] = await Promise.all([createEnvironment(kit), createEnvironment(kit)]);
  return {
    topic,
    sandboxed,
    unsandboxed,
    async close() {
      for (const { runner, fixture } of [sandboxed, unsandboxed]) {
        await runner.close();
        await fixture.close();
      }
    },
  };
}

async function createEnvironment(kit: string): Promise<Environment> {
  const fixture = await createFixture(kit);
  return { fixture, runner: createJobRunner(fixture.nightshift) };
}

/** Attacks that do not disturb each other share a process; the others get one each. */
export async function runAttempts(
  environments: Environments,
  on: ControlEnvironment | "sandbox",
  attempts: readonly Attempt[],
): Promise<Record<string, Result>> {
  const alone = attempts.filter((attempt) => attempt.alone === true).map((attempt) => [attempt]);
  const together = attempts.filter((attempt) => attempt.alone !== true);
  const groups = [...(together.length === 0 ? [] : [together]), ...alone];
  const results: Record<string, Result> = {};
  // One after the other, because they share the files of the fixture.
  for (const group of groups) Object.assign(results, await runGroup(environments, on, group));
  return results;
}

async function runGroup(
  environments: Environments,
  on: ControlEnvironment | "sandbox",
  attempts: readonly Attempt[],
): Promise<Record<string, Result>> {
  const { fixture, runner } = on === "sandbox" ? environments.sandboxed : environments.unsandboxed;
  const names = attempts.map(({ name }) => name);
  const answers = await runAttacker(environments.topic, names, { on, fixture, runner });
  const results: Record<string, Result> = {};
  for (const { name, harm } of attempts) {
    const own = answers.get(name) ?? {
      outcome: "broken" as const,
      detail: `no answer. ${answers.get("")?.detail ?? ""}`,
    };
    const done = (await harm?.(fixture)) ?? null;
    // If there is an outside check, the attacker's own result does not count, but the attempt must have run.
    if (harm === undefined || own.outcome === "broken" || own.outcome === "absent") results[name] = own;
    else
      results[name] = done === null ? { outcome: "stopped", detail: own.detail } : { outcome: "worked", detail: done };
  }
  return results;
}

let attackerCount = 0;

async function runAttacker(
  topic: Topic,
  names: readonly string[],
  { on, fixture, runner }: Environment & { readonly on: ControlEnvironment | "sandbox" },
): Promise<Map<string, Result>> {
  const file = join(fixture.readable, `input-${attackerCount++}.json`);
  const argv = [process.execPath, join(fixture.kit, "test/attacks/attacker.ts"), file] as const;
  const input: AttackerInput = { topic, names, fixture: fixtureFor(on, fixture) };
  if (on === "child") {
    writeFileSync(file, JSON.stringify(input));
    const { stdout, stderr } = spawnSync(argv[0], argv.slice(1), {
      cwd: fixture.work,
      encoding: "utf8",
      timeout: 30_000,
    });
    return parseResults(stdout, stderr);
  }
  const isSandboxed = on === "sandbox";
  const job = runner.job({
    sandbox: isSandboxed ? "enforce" : "none",
    argv: on === "namespace" ? [...IN_NEW_NAMESPACES, ...argv] : argv,
    policy: fixturePolicy(fixture, isSandboxed && topic === "network" ? { network: ["allowed.example:443"] } : {}),
  });
  const controlSocket = prepareSocketPath(fixture.nightshift, job.dir);
  writeFileSync(file, JSON.stringify({ ...input, fixture: { ...input.fixture, controlSocket } }));
  await runner.supervisors.start(job);
  const { stdout, stderr, notes, record } = await runner.finish(job);
  return parseResults(stdout, `${stderr} ${notes} ${JSON.stringify(record.error)}`);
}

/** Temporary namespaces in which the attacker is root. */
const IN_NEW_NAMESPACES = [
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

function fixtureFor(on: ControlEnvironment | "sandbox", fixture: Fixture): Fixture {
  return on === "sandbox" ? { ...fixture, proxyPort: RELAY_PORT } : fixture;
}

function parseResults(stdout: string, errors: string): Map<string, Result> {
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const answers = lines.map((line) => JSON.parse(line) as Result & { readonly name: string });
  return new Map([
    ...answers.map(({ name, outcome, detail }): [string, Result] => [name, { outcome, detail }]),
    ["", { outcome: "broken", detail: errors }],
  ]);
}

/** A multi-step attack creates its own files; the fixture provides the decoys. */
export async function runMultiStepAttack(
  { sandboxed: { fixture, runner } }: Environments,
  attack: MultiStepAttack["guarded"],
): Promise<Result> {
  mkdirSync(join(fixture.root, "multi-step"), { recursive: true, mode: 0o755 });
  const dir = mkdtempSync(join(fixture.root, "multi-step", "p-"));
  const context: AttackContext = { fixture, dir, runner, run: runner.run };
  try {
    const harm = await attack(context);
    return harm === null ? { outcome: "stopped", detail: "" } : { outcome: "worked", detail: harm };
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { outcome: error instanceof Absent ? "absent" : "broken", detail };
  }
}
