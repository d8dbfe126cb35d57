import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SUPERVISOR_FILE } from "../../../src/adapters/process/job-files.ts";
import type { SandboxPolicy } from "../../../src/ports/sandbox.ts";
import type { Job, JobCommand } from "../../../src/ports/supervisor.ts";
import type { Attack, MultiStepAttack, AttackContext } from "../attack.ts";
import { fixturePolicy } from "../fixture.ts";
import { childrenOf, findProcesses, findSurvivors, killAll } from "../survivors.ts";
import { waitUntil } from "../../../src/testing/wait-until.ts";

let sleepCount = 0;

/** A unique duration for `sleep`, which identifies the process. */
function uniqueSeconds(): string {
  return `${600 + sleepCount++}.${process.pid}`;
}

function createWorkDir(context: AttackContext): { readonly cwd: string; readonly policy: SandboxPolicy } {
  const cwd = join(context.dir, "work");
  mkdirSync(cwd);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd };
  return { cwd, policy: fixturePolicy(context.fixture, { cwd, own: { write: [cwd], read: [] }, protect: [], env }) };
}

async function start(
  context: AttackContext,
  script: string,
  changes: Partial<JobCommand> = {},
): Promise<{ readonly job: Job; readonly cwd: string }> {
  const { cwd, policy } = createWorkDir(context);
  const job = context.runner.job({ sandbox: "enforce", argv: ["sh", "-c", script], policy, changes });
  await context.runner.supervisors.start(job);
  return { job, cwd };
}

/** The control: the same script as a plain child process, ended without its descendants. */
function startWithoutSandbox(context: AttackContext, script: string) {
  const { cwd } = createWorkDir(context);
  return {
    cwd,
    child: spawn("sh", ["-c", script], { cwd, stdio: "ignore", env: { PATH: "/usr/local/bin:/usr/bin:/bin" } }),
  };
}

const describeSurvivors = (pids: readonly number[]) => (pids.length === 0 ? null : `${pids.length} processes are left`);

/** All ways in which a process can leave its parent and remove the run's marker. */
const START_SURVIVORS = (seconds: string) => `
sleep ${seconds} &
setsid sleep ${seconds} &
env -i setsid sleep ${seconds} &
nohup sleep ${seconds} > /dev/null 2>&1 &
(setsid sh -c 'sleep ${seconds} & sleep ${seconds} &' &)
(trap '' HUP TERM INT; exec env -i sleep ${seconds}) &
sleep 0.3`;

interface SignalIgnoringAttack {
  readonly name: string;
  readonly script: (seconds: string) => string;
}

/** Ignores signals that can be ignored. */
function signalIgnoringAttack({ name, script }: SignalIgnoringAttack): MultiStepAttack {
  return {
    kind: "multi_step",
    name,
    async guarded(context) {
      const seconds = uniqueSeconds();
      const { job } = await start(context, script(seconds), { timeoutMs: 400 });
      const { record } = await context.runner.finish(job);
      if (record.commands[0]?.endedBy !== "timeout") return `it ended by ${record.commands[0]?.endedBy}`;
      return describeSurvivors(await findSurvivors(seconds));
    },
    async control(context) {
      const seconds = uniqueSeconds();
      const { child } = startWithoutSandbox(context, script(seconds));
      await waitUntil(() => findProcesses(seconds).length > 0);
      child.kill("SIGTERM");
      // Without a sandbox nothing happens, so there is no event to wait for.
      await sleep(300);
      const pids = findProcesses(seconds);
      await killAll([child.pid ?? 0], seconds);
      return describeSurvivors(pids);
    },
  };
}

const WRITE_TICKS = "while :; do printf . >> ticks; sleep 0.02; done";
const countTicks = (cwd: string) => (existsSync(join(cwd, "ticks")) ? readFileSync(join(cwd, "ticks")).length : 0);

export const attacks: readonly Attack[] = [
  {
    kind: "multi_step",
    name: "leave processes behind after the run (background, setsid, double fork, nohup, empty environment)",
    async guarded(context) {
      const seconds = uniqueSeconds();
      const { job } = await start(context, START_SURVIVORS(seconds));
      await context.runner.finish(job);
      return describeSurvivors(await findSurvivors(seconds));
    },
    async control(context) {
      const seconds = uniqueSeconds();
      const { child } = startWithoutSandbox(context, START_SURVIVORS(seconds));
      await once(child, "exit");
      const pids = findProcesses(seconds);
      await killAll([], seconds);
      return describeSurvivors(pids);
    },
  },
  {
    kind: "multi_step",
    name: "leave processes behind when the supervisor is killed",
    async guarded(context) {
      const seconds = uniqueSeconds();
      const { job } = await start(context, `${START_SURVIVORS(seconds)}; sleep ${seconds}`);
      await waitUntil(() => findProcesses(seconds).length > 5);
      // Written by the supervisor itself.
      const { pid } = JSON.parse(readFileSync(join(job.dir, SUPERVISOR_FILE), "utf8")) as { pid: number };
      process.kill(pid, "SIGKILL");
      const result = describeSurvivors(await findSurvivors(seconds));
      await killAll([], seconds);
      return result;
    },
    async control(context) {
      const seconds = uniqueSeconds();
      const { child } = startWithoutSandbox(context, `${START_SURVIVORS(seconds)}; sleep ${seconds}`);
      await waitUntil(() => findProcesses(seconds).length > 5);
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      const pids = findProcesses(seconds);
      await killAll([], seconds);
      return describeSurvivors(pids);
    },
  },
  {
    kind: "multi_step",
    name: "continue while the run is paused",
    async guarded(context) {
      const { job, cwd } = await start(
        context,
        `(${WRITE_TICKS}) & env -i PATH=$PATH setsid sh -c '${WRITE_TICKS}' & wait`,
      );
      await waitUntil(() => countTicks(cwd) > 4);
      await context.runner.supervisors.control(job.dir, "pause");
      const before = countTicks(cwd);
      // Nothing may happen while the run is paused.
      await sleep(400);
      const after = countTicks(cwd);
      await context.runner.supervisors.control(job.dir, "resume");
      await waitUntil(() => countTicks(cwd) > after);
      await context.runner.supervisors.control(job.dir, "kill");
      await context.runner.finish(job);
      return after === before ? null : `${after - before} ticks`;
    },
    async control(context) {
      const { child, cwd } = startWithoutSandbox(context, `(${WRITE_TICKS}) & setsid sh -c '${WRITE_TICKS}' & wait`);
      await waitUntil(() => countTicks(cwd) > 4);
      child.kill("SIGSTOP");
      const before = countTicks(cwd);
      await waitUntil(() => countTicks(cwd) > before);
      const after = countTicks(cwd);
      await killAll([...childrenOf(child.pid ?? 0), child.pid ?? 0], WRITE_TICKS);
      return after === before ? null : `${after - before} ticks`;
    },
  },
  {
    kind: "multi_step",
    name: "prevent its exit record by killing every visible process",
    async guarded(context) {
      const { job } = await start(context, "kill -STOP 1; kill -KILL 1; kill -KILL $PPID; kill -KILL -1; sleep 1");
      const { record } = await context.runner.finish(job);
      if (record.error !== null) return `no exit record: ${JSON.stringify(record.error)}`;
      process.kill(context.fixture.victimPid, 0);
      return null;
    },
    control: { noneBecause: "without namespaces it would end every process of the machine" },
  },
  signalIgnoringAttack({
    name: "survive by ignoring SIGTERM",
    script: (seconds) => `trap '' TERM HUP INT; sleep ${seconds} & wait; sleep ${seconds}`,
  }),
  signalIgnoringAttack({
    name: "survive by stopping itself",
    script: (seconds) => `sleep ${seconds} & sleep 0.1; kill -STOP $!; kill -STOP $$; wait`,
  }),
  signalIgnoringAttack({
    name: "survive by starting processes faster than they are killed",
    script: (seconds) =>
      `trap '' TERM; i=0; while [ $i -lt 2000 ]; do setsid sleep ${seconds} & i=$((i+1)); sleep 0.005; done`,
  }),
  {
    kind: "multi_step",
    name: "hide its end by keeping its output open",
    async guarded(context) {
      const seconds = uniqueSeconds();
      const started = performance.now();
      const { job } = await start(context, `setsid sleep ${seconds} & exit 0`);
      await context.runner.finish(job);
      return performance.now() - started > 15_000
        ? "its end was not noticed"
        : describeSurvivors(await findSurvivors(seconds));
    },
    async control(context) {
      const seconds = uniqueSeconds();
      const child = spawn("sh", ["-c", `setsid sleep ${seconds} & exit 0`], {
        cwd: context.dir,
        stdio: ["ignore", "pipe", "ignore"],
      });
      const closed = new Promise<string | null>((done) => child.once("close", () => done(null)));
      const result = await Promise.race([closed, sleep(700).then(() => "its output is still open")]);
      await killAll([], seconds);
      return result;
    },
  },
  {
    kind: "multi_step",
    name: "change the workspace after the run has ended",
    async guarded(context) {
      const { job, cwd } = await start(
        context,
        "(trap '' HUP TERM; setsid sh -c 'sleep 0.6; echo late > late') & sleep 0.1",
      );
      await context.runner.finish(job);
      // Longer than the process would need, if it were still alive.
      await sleep(900);
      return existsSync(join(cwd, "late")) ? "the workspace was changed" : null;
    },
    async control(context) {
      const { child, cwd } = startWithoutSandbox(
        context,
        "(trap '' HUP TERM; setsid sh -c 'sleep 0.3; echo late > late') & sleep 0.1",
      );
      await once(child, "exit");
      await waitUntil(() => existsSync(join(cwd, "late")));
      return existsSync(join(cwd, "late")) ? "the workspace was changed" : null;
    },
  },
];
