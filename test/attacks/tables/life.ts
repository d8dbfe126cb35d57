import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SUPERVISOR_FILE } from "../../../src/adapters/process/job-files.ts";
import type { SandboxPolicy } from "../../../src/ports/sandbox.ts";
import type { Job, JobCommand } from "../../../src/ports/supervisor.ts";
import type { Attack, Play, Stage } from "../attack.ts";
import { scenePolicy } from "../scene.ts";
import { childrenOf, endAll, survivorsOf, until, withWord } from "../survivors.ts";

let words = 0;

/** A unique number of seconds to sleep, which identifies a process. */
function newWord(): string {
  return `${600 + words++}.${process.pid}`;
}

function place(stage: Stage): { readonly cwd: string; readonly policy: SandboxPolicy } {
  const cwd = join(stage.dir, "work");
  mkdirSync(cwd);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd };
  return { cwd, policy: scenePolicy(stage.scene, { cwd, own: { write: [cwd], read: [] }, protect: [], env }) };
}

async function start(
  stage: Stage,
  script: string,
  changes: Partial<JobCommand> = {},
): Promise<{ readonly job: Job; readonly cwd: string }> {
  const { cwd, policy } = place(stage);
  const job = stage.bench.job({ sandbox: "enforce", argv: ["sh", "-c", script], policy, changes });
  await stage.bench.supervisors.start(job);
  return { job, cwd };
}

/** The control: the same script as a plain child process, ended without its descendants. */
function startPlainly(stage: Stage, script: string) {
  const { cwd } = place(stage);
  return {
    cwd,
    child: spawn("sh", ["-c", script], { cwd, stdio: "ignore", env: { PATH: "/usr/local/bin:/usr/bin:/bin" } }),
  };
}

const left = (pids: readonly number[]) => (pids.length === 0 ? null : `${pids.length} are left`);

/** All ways in which a process can leave its parent and remove the run's marker. */
const SURVIVORS = (word: string) => `
sleep ${word} &
setsid sleep ${word} &
env -i setsid sleep ${word} &
nohup sleep ${word} > /dev/null 2>&1 &
(setsid sh -c 'sleep ${word} & sleep ${word} &' &)
(trap '' HUP TERM INT; exec env -i sleep ${word}) &
sleep 0.3`;

interface Stubborn {
  readonly name: string;
  readonly script: (word: string) => string;
}

/** Ignores polite signals. */
function stubborn({ name, script }: Stubborn): Play {
  return {
    kind: "play",
    name,
    async guarded(stage) {
      const word = newWord();
      const { job } = await start(stage, script(word), { timeoutMs: 400 });
      const { record } = await stage.bench.finish(job);
      if (record.commands[0]?.endedBy !== "timeout") return `it ended by ${record.commands[0]?.endedBy}`;
      return left(await survivorsOf(word));
    },
    async control(stage) {
      const word = newWord();
      const { child } = startPlainly(stage, script(word));
      await until(() => withWord(word).length > 0);
      child.kill("SIGTERM");
      await sleep(300);
      const pids = withWord(word);
      await endAll([child.pid ?? 0], word);
      return left(pids);
    },
  };
}

const TICK = "while :; do printf . >> ticks; sleep 0.02; done";
const ticksIn = (cwd: string) => (existsSync(join(cwd, "ticks")) ? readFileSync(join(cwd, "ticks")).length : 0);

export const attacks: readonly Attack[] = [
  {
    kind: "play",
    name: "processes that outlive their run: background, setsid, double fork, nohup, without environment",
    async guarded(stage) {
      const word = newWord();
      const { job } = await start(stage, SURVIVORS(word));
      await stage.bench.finish(job);
      return left(await survivorsOf(word));
    },
    async control(stage) {
      const word = newWord();
      const { child } = startPlainly(stage, SURVIVORS(word));
      await new Promise((ended) => child.once("exit", ended));
      const pids = withWord(word);
      await endAll([], word);
      return left(pids);
    },
  },
  {
    kind: "play",
    name: "processes that outlive their supervisor, which is killed",
    async guarded(stage) {
      const word = newWord();
      const { job } = await start(stage, `${SURVIVORS(word)}; sleep ${word}`);
      await until(() => withWord(word).length > 5);
      // Written by the supervisor itself.
      const { pid } = JSON.parse(readFileSync(join(job.dir, SUPERVISOR_FILE), "utf8")) as { pid: number };
      process.kill(pid, "SIGKILL");
      const result = left(await survivorsOf(word));
      await endAll([], word);
      return result;
    },
    async control(stage) {
      const word = newWord();
      const { child } = startPlainly(stage, `${SURVIVORS(word)}; sleep ${word}`);
      await until(() => withWord(word).length > 5);
      child.kill("SIGKILL");
      await sleep(300);
      const pids = withWord(word);
      await endAll([], word);
      return left(pids);
    },
  },
  {
    kind: "play",
    name: "go on while the run is paused",
    async guarded(stage) {
      const { job, cwd } = await start(stage, `(${TICK}) & env -i PATH=$PATH setsid sh -c '${TICK}' & wait`);
      await until(() => ticksIn(cwd) > 4);
      await stage.bench.supervisors.control(job.dir, "pause");
      const before = ticksIn(cwd);
      await sleep(400);
      const after = ticksIn(cwd);
      await stage.bench.supervisors.control(job.dir, "resume");
      await until(() => ticksIn(cwd) > after);
      await stage.bench.supervisors.control(job.dir, "kill");
      await stage.bench.finish(job);
      return after === before ? null : `${after - before} ticks`;
    },
    async control(stage) {
      const { child, cwd } = startPlainly(stage, `(${TICK}) & setsid sh -c '${TICK}' & wait`);
      await until(() => ticksIn(cwd) > 4);
      child.kill("SIGSTOP");
      const before = ticksIn(cwd);
      await sleep(200);
      const after = ticksIn(cwd);
      await endAll([...childrenOf(child.pid ?? 0), child.pid ?? 0], TICK);
      return after === before ? null : `${after - before} ticks`;
    },
  },
  {
    kind: "play",
    name: "end everything it can see, its own first process and the wall included",
    async guarded(stage) {
      const { job } = await start(stage, "kill -STOP 1; kill -KILL 1; kill -KILL $PPID; kill -KILL -1; sleep 1");
      const { record } = await stage.bench.finish(job);
      if (record.error !== null) return `no record of it: ${JSON.stringify(record.error)}`;
      process.kill(stage.scene.victimPid, 0);
      return null;
    },
    control: { none: "without namespaces it would end every process of the machine" },
  },
  stubborn({
    name: "not go when it is asked to",
    script: (word) => `trap '' TERM HUP INT; sleep ${word} & wait; sleep ${word}`,
  }),
  stubborn({
    name: "stand still, so that it cannot hear",
    script: (word) => `sleep ${word} & sleep 0.1; kill -STOP $!; kill -STOP $$; wait`,
  }),
  stubborn({
    name: "start new processes faster than they are ended",
    script: (word) =>
      `trap '' TERM; i=0; while [ $i -lt 2000 ]; do setsid sleep ${word} & i=$((i+1)); sleep 0.005; done`,
  }),
  {
    kind: "play",
    name: "keep its output open, so that nobody sees its end",
    async guarded(stage) {
      const word = newWord();
      const started = performance.now();
      const { job } = await start(stage, `setsid sleep ${word} & exit 0`);
      await stage.bench.finish(job);
      return performance.now() - started > 15_000 ? "nobody saw its end" : left(await survivorsOf(word));
    },
    async control(stage) {
      const word = newWord();
      const child = spawn("sh", ["-c", `setsid sleep ${word} & exit 0`], {
        cwd: stage.dir,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const closed = new Promise<string | null>((done) => child.once("close", () => done(null)));
      const result = await Promise.race([closed, sleep(700).then(() => "its output is still open")]);
      await endAll([], word);
      return result;
    },
  },
  {
    kind: "play",
    name: "change the workspace after the run has ended",
    async guarded(stage) {
      const { job, cwd } = await start(
        stage,
        "(trap '' HUP TERM; setsid sh -c 'sleep 0.6; echo late > late') & sleep 0.1",
      );
      await stage.bench.finish(job);
      await sleep(900);
      return existsSync(join(cwd, "late")) ? "it changed it" : null;
    },
    async control(stage) {
      const { child, cwd } = startPlainly(
        stage,
        "(trap '' HUP TERM; setsid sh -c 'sleep 0.3; echo late > late') & sleep 0.1",
      );
      await new Promise((ended) => child.once("exit", ended));
      await sleep(500);
      return existsSync(join(cwd, "late")) ? "it changed it" : null;
    },
  },
];
