import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Job } from "../../ports/supervisor.ts";
import { quiet, realSupervisors } from "../../testing/real-supervisors.ts";
import { openJobBench, printed, shell } from "../../testing/suites/supervisor/supervisor.suite.ts";
import { waitUntil } from "../../testing/wait-until.ts";
import type { JobBench } from "../../testing/suites/supervisor/supervisor.suite.ts";
import { readJob, readRunningProcess, readSupervisor } from "./job-files.ts";
import { isProcessAlive, listProcesses, processStartTime } from "./process-table.ts";
import { createSupervisors } from "./supervisors.ts";

let bench: JobBench;
beforeEach(() => {
  bench = openJobBench(realSupervisors);
});

function pidOf(job: Job): number {
  return readSupervisor(job.dir)?.pid ?? 0;
}

function processesOf(job: Job): readonly number[] {
  return realSupervisors.processesOf(job.run);
}

const FOREVER = "echo ready; while :; do sleep 0.05; done";

describe("supervisor killed with SIGKILL", () => {
  test("the job is lost and all its processes are ended, including other sessions and double forks", async () => {
    const escape = `setsid sh -c '${FOREVER}' & (setsid sh -c 'sh -c "sleep 50" &' &) ; ${FOREVER}`;
    const job = bench.job([escape]);
    await bench.supervisors.start(job);
    const watched = bench.watch(job.dir);
    await waitUntil(() => processesOf(job).length >= 4);
    process.kill(pidOf(job), "SIGKILL");
    expect(await watched).toEqual({ kind: "lost" });
    expect(processesOf(job)).toEqual([]);
    expect(await bench.supervisors.isAlive(job.dir)).toBe(false);
    expect(readdirSync(join(bench.home, "s"))).toEqual([]);
    expect(readdirSync(job.dir)).not.toContain("process.json");
  });

  test("before its claim: the job is started again", async () => {
    const job = bench.job(["echo ran"]);
    const entry = join(bench.home, "dies-once.mjs");
    const real = new URL("../../supervisor/main.ts", import.meta.url).href;
    writeFileSync(
      entry,
      `import { existsSync, writeFileSync } from "node:fs";
       const died = ${JSON.stringify(join(bench.home, "died"))};
       if (!existsSync(died)) { writeFileSync(died, ""); process.kill(process.pid, "SIGKILL"); }
       await import(${JSON.stringify(real)});`,
    );
    const supervisors = createSupervisors({ home: bench.home, log: quiet, supervisorEntry: entry });
    await supervisors.start(job);
    expect(await bench.watch(job.dir)).toMatchObject({ kind: "ended", record: { commands: [{ exit: { code: 0 } }] } });
    expect(existsSync(join(bench.home, "died"))).toBe(true);
  });

  test("without a watcher: the job is later found to be lost, also repeatedly", async () => {
    const job = bench.job([FOREVER]);
    await bench.supervisors.start(job);
    await waitUntil(() => processesOf(job).length > 0);
    process.kill(pidOf(job), "SIGKILL");
    expect(await Promise.all([bench.watch(job.dir), bench.watch(job.dir)])).toEqual([
      { kind: "lost" },
      { kind: "lost" },
    ]);
    await bench.supervisors.start(job);
    expect(await bench.watch(job.dir)).toEqual({ kind: "lost" });
  });

  test("a process that reuses its pid is neither mistaken for it nor ended", async () => {
    const job = bench.job([FOREVER]);
    await bench.supervisors.start(job);
    await waitUntil(() => readRunningProcess(job.dir) !== null && processesOf(job).length > 0);
    process.kill(pidOf(job), "SIGKILL");
    await waitUntil(() => !isProcessAlive(pidOf(job), null));
    const stranger = spawn("sleep", ["30"], { detached: true, stdio: "ignore" });
    const pid = stranger.pid ?? 0;
    try {
      for (const name of ["supervisor.json", "process.json"]) {
        writeFileSync(join(job.dir, name), JSON.stringify({ pid, startTime: (processStartTime(pid) ?? 0) - 1 }));
      }
      expect(await bench.supervisors.isAlive(job.dir)).toBe(false);
      expect(await bench.watch(job.dir)).toEqual({ kind: "lost" });
      expect(isProcessAlive(pid, null)).toBe(true);
    } finally {
      stranger.kill("SIGKILL");
    }
  });
});

function granted(script: string) {
  return { ...shell(script), secretNames: ["SECRET"] };
}

describe("parent of a supervisor killed with SIGKILL", () => {
  test("the job continues, and a new watcher gets its record", async () => {
    const job = bench.job([granted(`${FOREVER.replace(":", "[ ! -e go ]")}; echo "$SECRET"`)], {
      secrets: { SECRET: "a-b-c" },
    });
    const starter = startElsewhere(job);
    await waitUntil(() => printed(job).length > 0);
    process.kill(starter, "SIGKILL");
    await waitUntil(() => !isProcessAlive(starter, null));
    expect(await bench.supervisors.isAlive(job.dir)).toBe(true);
    const watched = bench.watch(job.dir);
    writeFileSync(join(bench.home, "go"), "");
    expect(await watched).toMatchObject({
      kind: "ended",
      record: { commands: [{ exit: { code: 0 }, endedBy: "exit" }] },
    });
    expect(printed(job)).toEqual(["ready", "a-b-c"]);
  });

  test("before it sent the secrets: nothing runs, and the job can be started again", async () => {
    const job = bench.job([granted("echo $SECRET")], { secrets: { SECRET: "a-b-c" } });
    const broken = createSupervisors({ home: bench.home, log: quiet, supervisorEntry: "no-such-entry.ts" });
    await expect(broken.start(job)).rejects.toThrow(/could not be started.*no-such-entry/s);
    const code = await runSupervisor(job.dir);
    expect(code).toBe(2);
    expect(existsSync(join(job.dir, "claim"))).toBe(false);
    await bench.run(job);
    expect(printed(job)).toEqual(["a-b-c"]);
  });
});

describe("prepared supervisor", () => {
  test("is replaced if it was killed before the job arrives", async () => {
    const job = bench.job(["echo ran"]);
    bench.supervisors.prepare(job.dir);
    const [pid = 0] = await untilWaiting(job);
    process.kill(pid, "SIGKILL");
    await bench.run(job);
    expect(printed(job)).toEqual(["ran"]);
  });

  test("exits with the process that prepared it, and when it is dismissed", async () => {
    const [job, other] = [bench.job(["touch ran"]), bench.job(["touch ran"])];
    const starter = doElsewhere(`prepare(${JSON.stringify(job.dir)})`);
    bench.supervisors.prepare(other.dir);
    await Promise.all([untilWaiting(job), untilWaiting(other)]);
    process.kill(starter, "SIGKILL");
    bench.supervisors.dismiss(other.dir);
    await waitUntil(() => waitingFor(job).length + waitingFor(other).length === 0);
    expect(readdirSync(job.dir)).toEqual(["supervisor.log"]);
    expect(existsSync(join(bench.home, "ran"))).toBe(false);
  });
});

test("supervisors: preparing one without free descriptors throws an error and does not crash the daemon", () => {
  const script = `
    import { openSync, closeSync } from "node:fs";
    import { createSupervisors } from ${JSON.stringify(new URL("./supervisors.ts", import.meta.url).href)};
    const supervisors = createSupervisors({ home: ${JSON.stringify(bench.home)}, log: { info() {}, warn() {}, error() {} } });
    const open = [];
    try { for (;;) open.push(openSync("/dev/null")); } catch { /* there is none left, which is what was wanted */ }
    for (const left of open.splice(-3)) closeSync(left);
    try { supervisors.prepare(${JSON.stringify(bench.job(["true"]).dir)}); } catch (error) { console.log(error.message); }
    setTimeout(() => console.log("alive"), 200);`;
  const run = `ulimit -n 200; exec "$0" --input-type=module -e "$1"`;
  const { stdout } = spawnSync("sh", ["-c", run, process.execPath, script], { encoding: "utf8" });
  expect(stdout).toMatch(/^The supervisor could not be started: there are too many open files.*\nalive\n$/);
});

describe("supervisor that does not register", () => {
  test("is lost after a timeout, and cannot start the job later", async () => {
    const job = bench.job(["touch ran"]);
    expect(await bench.watch(job.dir)).toEqual({ kind: "lost" });
    await bench.supervisors.start(job);
    expect(existsSync(join(bench.home, "ran"))).toBe(false);
  });

  test("is lost if it claimed the job and died before it registered", async () => {
    const job = bench.job(["touch ran"]);
    mkdirSync(join(job.dir, "claim"));
    expect(await bench.watch(job.dir)).toEqual({ kind: "lost" });
    expect(readSupervisor(job.dir)?.pid).toBe(0);
  });
});

describe("after a power cut", () => {
  test.each(["", "\0\0\0\0", '{"pid":12'])(
    "a job is lost if its supervisor.json contains only %j, and watching it does not spin",
    async (content) => {
      const job = bench.job([FOREVER]);
      mkdirSync(join(job.dir, "claim"), { recursive: true });
      writeFileSync(join(job.dir, "supervisor.json"), content);
      const before = process.cpuUsage();
      expect(await bench.watch(job.dir)).toEqual({ kind: "lost" });
      expect(process.cpuUsage(before).user).toBeLessThan(500_000);
      expect(await bench.supervisors.isAlive(job.dir)).toBe(false);
    },
  );
});

test("control socket: a home path that is too long uses the temporary directory, and the socket is removed at the end", async () => {
  const home = join(bench.home, "d".repeat(100));
  mkdirSync(home);
  const deep = createSupervisors({ home, log: quiet });
  const job = bench.job(["until [ -e go ]; do sleep 0.01; done"]);
  await deep.start(job);
  const socket = readJob(job.dir)?.socket ?? "";
  expect(Buffer.byteLength(socket)).toBeLessThan(104);
  expect(await deep.control(job.dir, "stop")).toBe(true);
  await bench.watch(job.dir);
  expect(existsSync(socket)).toBe(false);
  rmSync(dirname(socket), { recursive: true });
});

/** A process that starts the job like the daemon and then waits to be killed. */
function startElsewhere(job: Job): number {
  return doElsewhere(`start(${JSON.stringify(job)})`);
}

function doElsewhere(call: string): number {
  const script = `
    import { createSupervisors } from ${JSON.stringify(new URL("./supervisors.ts", import.meta.url).href)};
    const log = { info() {}, warn() {}, error() {} };
    await createSupervisors({ home: ${JSON.stringify(bench.home)}, log }).${call};
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
  return child.pid ?? 0;
}

/** The directory of its job is its last argument. */
function waitingFor({ dir }: Job): readonly number[] {
  return listProcesses()
    .filter(({ pid }) => readArguments(pid).endsWith(`\0${dir}\0`))
    .map(({ pid }) => pid);
}

async function untilWaiting(job: Job): Promise<readonly number[]> {
  await waitUntil(() => waitingFor(job).length > 0);
  return waitingFor(job);
}

function readArguments(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

/** Starts a supervisor whose pipe is closed before anything is written. */
function runSupervisor(dir: string): Promise<number | null> {
  const entry = new URL("../../supervisor/main.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [entry, dir], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  child.stdio[3]?.destroy();
  return new Promise((resolve) => child.once("exit", resolve));
}
