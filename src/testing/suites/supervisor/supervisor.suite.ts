import { waitUntil } from "../../wait-until.ts";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { TranscriptLine } from "../../../core/task/documents/transcript.ts";
import type { CommandResult, ExitRecord, Job, JobCommand, JobResult, Supervisors } from "../../../ports/supervisor.ts";
import { testPolicy } from "../../policy.ts";

export interface SupervisorSuite {
  /** A new adapter over the same home is what a restarted daemon has. The grace period is `graceMs`. */
  create(home: string, graceMs: number): Supervisors;
  /** Living processes with this run's mark. */
  processesOf(run: string): readonly number[];
}

/** A home with jobs. At the end, no process of their runs may be alive. */
export interface JobBench {
  readonly home: string;
  readonly supervisors: Supervisors;
  /** Creates a job of shell commands. */
  job(commands: readonly (string | Partial<JobCommand>)[], changes?: Partial<Job>): Job;
  /** Starts the job and waits for its exit record. */
  run(job: Job): Promise<ExitRecord>;
  watch(dir: string): Promise<JobResult>;
}

export const POLITE_MS = 400;
export const NEVER = new AbortController().signal;

export function openJobBench(suite: SupervisorSuite): JobBench {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-jobs-")));
  const supervisors = suite.create(home, POLITE_MS);
  const jobs: Job[] = [];
  const watch = (dir: string) => supervisors.watch(dir, { signal: NEVER, onOutput: () => {} });
  onTestFinished(async () => {
    for (const { dir } of jobs) await supervisors.control(dir, "kill");
    // A supervisor exits a moment after it has written its record.
    for (const { dir } of jobs) while (await supervisors.isAlive(dir)) await sleep(10);
    const left = jobs.flatMap(({ run }) => suite.processesOf(run));
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    expect(left).toEqual([]);
  });
  return {
    home,
    supervisors,
    watch,
    job(commands, changes = {}) {
      const run = `run_${Math.random().toString(36).slice(2, 12)}`;
      const dir = join(home, "runs", run);
      mkdirSync(dir, { recursive: true });
      const built = {
        dir,
        run,
        sandbox: "none",
        secrets: {},
        keys: {},
        redact: [],
        paused: false,
        ...changes,
      } as const;
      const job = { ...built, commands: commands.map((command) => toCommand(home, command)) };
      jobs.push(job);
      return job;
    },
    async run(job) {
      await supervisors.start(job);
      const result = await watch(job.dir);
      if (result.kind !== "ended") throw new Error(`the job was ${result.kind}`);
      return result.record;
    },
  };
}

function toCommand(home: string, command: string | Partial<JobCommand>): JobCommand {
  const changes = typeof command === "string" ? { argv: ["sh", "-c", command] as const } : command;
  return {
    name: "agent",
    argv: ["true"],
    policy: testPolicy(home, { env: { PATH: process.env["PATH"] ?? "" } }),
    stdinFile: null,
    timeoutMs: 20_000,
    idleMs: null,
    maxOutputBytes: 10_000_000,
    killOutputBytes: null,
    logFile: null,
    ifFails: "stop",
    rerun: false,
    secretNames: [],
    gateway: null,
    outcomeFiles: [],
    ...changes,
  };
}

export function shell(script: string): Pick<JobCommand, "argv"> {
  return { argv: ["sh", "-c", script] };
}

export function readTranscript(job: Job): readonly TranscriptLine[] {
  const file = join(job.dir, "transcript.jsonl");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  // Written by the supervisor under test. Invalid JSON fails the test.
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as TranscriptLine);
}

export function printed(job: Job, from: TranscriptLine["from"] = "stdout"): readonly string[] {
  return readTranscript(job)
    .filter((line) => line.from === from)
    .map(({ text }) => text);
}

export function only(record: ExitRecord): CommandResult {
  const [result] = record.commands;
  if (result === undefined || record.commands.length !== 1)
    throw new Error(`${record.commands.length} results, not one`);
  return result;
}

export function testSupervisors(suite: SupervisorSuite): void {
  describe("supervisors", () => {
    let bench: JobBench;
    beforeEach(() => {
      bench = openJobBench(suite);
    });
    const file = (name: string): string => join(bench.home, name);
    const ticks = (): number => (existsSync(file("ticks")) ? readFileSync(file("ticks"), "utf8").length : 0);
    const TICKING = "while :; do printf . >> ticks; sleep 0.02; done";

    describe("start and watch", () => {
      test("a job ends with the exits and outputs of its commands, in order", async () => {
        const job = bench.job([
          { ...shell("echo one; echo two >&2"), name: "setup" },
          { ...shell("echo three"), name: "agent" },
        ]);
        const record = await bench.run(job);
        expect(record).toMatchObject({ run: job.run, pausedMs: 0, error: null });
        expect(record.finishedAt).toBeGreaterThanOrEqual(record.startedAt);
        expect(record.commands).toMatchObject([
          {
            name: "setup",
            exit: { code: 0, signal: null },
            endedBy: "exit",
            outputBytes: 8,
            flaky: false,
            startError: null,
          },
          { name: "agent", exit: { code: 0, signal: null }, endedBy: "exit", outputBytes: 6 },
        ]);
        expect(readTranscript(job)).toEqual(
          expect.arrayContaining([
            { at: expect.any(Number), from: "stdout", command: "setup", text: "one" },
            { at: expect.any(Number), from: "stderr", command: "setup", text: "two" },
            { at: expect.any(Number), from: "stdout", command: "agent", text: "three" },
          ]),
        );
      });

      test("concurrent and repeated starts run the commands once", async () => {
        const job = bench.job(["printf x >> count; sleep 0.1"]);
        const again = suite.create(bench.home, POLITE_MS);
        await Promise.all([bench.supervisors.start(job), again.start(job), bench.supervisors.start(job)]);
        expect(await bench.watch(job.dir)).toMatchObject({ kind: "ended" });
        await again.start(job);
        expect(await again.watch(job.dir, { signal: NEVER, onOutput: () => {} })).toMatchObject({ kind: "ended" });
        expect(readFileSync(file("count"), "utf8")).toBe("x");
      });

      test("another adapter for the same home adopts a running job", async () => {
        const job = bench.job(["until [ -e go ]; do sleep 0.01; done; echo gone"]);
        await bench.supervisors.start(job);
        const restarted = suite.create(bench.home, POLITE_MS);
        expect(await restarted.isAlive(job.dir)).toBe(true);
        const watched = restarted.watch(job.dir, { signal: NEVER, onOutput: () => {} });
        writeFileSync(file("go"), "");
        expect(await watched).toMatchObject({ kind: "ended", record: { commands: [{ exit: { code: 0 } }] } });
      });

      test("several watchers are notified of output while it runs, and all get the record", async () => {
        const job = bench.job(["echo early; until [ -e go ]; do sleep 0.01; done"]);
        await bench.supervisors.start(job);
        let outputs = 0;
        const options = { signal: NEVER, onOutput: () => void outputs++ };
        const watched = [bench.supervisors.watch(job.dir, options), bench.supervisors.watch(job.dir, options)];
        await waitUntil(() => outputs >= 2);
        writeFileSync(file("go"), "");
        expect((await Promise.all(watched)).map(({ kind }) => kind)).toEqual(["ended", "ended"]);
      });

      test("an aborted watch rejects with its reason, and the job continues", async () => {
        const job = bench.job(["until [ -e go ]; do sleep 0.01; done; echo done"]);
        await bench.supervisors.start(job);
        const calledOff = new AbortController();
        const watched = bench.supervisors.watch(job.dir, { signal: calledOff.signal, onOutput: () => {} });
        setTimeout(() => calledOff.abort(new Error("enough")), 30);
        await expect(watched).rejects.toThrow("enough");
        expect(await bench.supervisors.isAlive(job.dir)).toBe(true);
        writeFileSync(file("go"), "");
        await bench.watch(job.dir);
        expect(printed(job)).toEqual(["done"]);
      });

      test("control and isAlive return false without a supervisor", async () => {
        const job = bench.job(["true"]);
        expect([await bench.supervisors.isAlive(job.dir), await bench.supervisors.control(job.dir, "stop")]).toEqual([
          false,
          false,
        ]);
        await bench.run(job);
        await waitUntil(() => suite.processesOf(job.run).length === 0);
        await expect.poll(() => bench.supervisors.isAlive(job.dir)).toBe(false);
        expect([await bench.supervisors.isAlive(job.dir), await bench.supervisors.control(job.dir, "stop")]).toEqual([
          false,
          false,
        ]);
      });
    });

    describe("commands", () => {
      test("after a failure the following ones run or not, as configured", async () => {
        const commands = [
          { ...shell("exit 3"), name: "a", ifFails: "continue" },
          { ...shell("exit 4"), name: "b" },
          { name: "c" },
        ] as const;
        const record = await bench.run(bench.job(commands));
        expect(record.commands.map(({ name, exit }) => [name, exit.code])).toEqual([
          ["a", 3],
          ["b", 4],
        ]);
      });

      test("a command that fails and then passes is flaky; one that fails twice is not", async () => {
        const once = shell("[ -e seen ] || { touch seen; echo broken; exit 1; }; echo fine");
        const red = { ...shell("printf x >> times; exit 1"), rerun: true } as const;
        const missing = { ...shell("printf y >> times; no-such-program"), rerun: true, ifFails: "continue" } as const;
        const job = bench.job([{ ...once, rerun: true, logFile: "f.log" }, missing, red]);
        const [first, second, third] = (await bench.run(job)).commands;
        expect(first).toMatchObject({ flaky: true, exit: { code: 0 }, repetition: { failedRunEnd: 7 } });
        expect(second).toMatchObject({ flaky: false, exit: { code: 127 } });
        expect(third).toMatchObject({ flaky: false, exit: { code: 1 } });
        expect(readFileSync(file("times"), "utf8")).toBe("yxx"); // a missing program is not tried again
        const log = readFileSync(join(job.dir, "f.log"), "utf8"); // "broken" has 7 bytes with its line break
        expect(log).toMatch(/^broken\n\n\[nightshift\] ===== The output above .* exit code 1\. .* =====\nfine\n$/);
        expect(Buffer.from(log).subarray(first?.repetition?.start).toString()).toBe("fine\n");
      });

      test("a missing program or directory is a start error with an explanation", async () => {
        const missing = { argv: ["no-such-program"], ifFails: "continue" } as const;
        const nowhere = { policy: testPolicy(file("nowhere"), { env: {} }) };
        const record = await bench.run(bench.job([missing, nowhere]));
        expect(record.commands[0]?.startError).toMatch(/"no-such-program" was not found/);
        expect(record.commands[1]?.startError).toMatch(/working directory .*nowhere does not exist/);
      });

      test("stdin is the file or empty, and need not be read", async () => {
        writeFileSync(file("prompt.md"), "do it\n".repeat(200_000));
        const stdinFile = file("prompt.md");
        const record = await bench.run(
          bench.job([{ ...shell("wc -c"), stdinFile }, { argv: ["true"], stdinFile }, shell("wc -c < /dev/stdin")]),
        );
        expect(record.commands.map(({ exit }) => exit.code)).toEqual([0, 0, 0]);
        expect(record.commands[0]?.outputBytes).toBe("1200000\n".length);
        expect(record.commands[2]?.outputBytes).toBe("0\n".length);
      });

      test("an unavailable sandbox rejects the job", async () => {
        const command = { ...shell("touch ran"), policy: testPolicy(bench.home, { write: ["/etc"] }) };
        const record = await bench.run(bench.job([command], { sandbox: "enforce" }));
        expect(record).toMatchObject({ error: { kind: "sandbox_refused" }, commands: [{ endedBy: "refused" }] });
        expect(record.error?.message).toMatch(/\/etc/);
        expect(existsSync(file("ran"))).toBe(false);
      });
    });

    describe("limits", () => {
      test("a timeout and an idle timeout end a command, each with its own reason", async () => {
        const tooLong = {
          ...shell("while :; do echo; sleep 0.02; done"),
          timeoutMs: 300,
          ifFails: "continue",
        } as const;
        const record = await bench.run(bench.job([tooLong, { argv: ["sleep", "30"], idleMs: 200 }]));
        expect(record.commands.map(({ endedBy }) => endedBy)).toEqual(["timeout", "idle"]);
      });

      test("too much output ends a command if configured", async () => {
        const record = await bench.run(bench.job([{ argv: ["yes"], killOutputBytes: 1_000_000 }]));
        expect(only(record)).toMatchObject({ endedBy: "output", exit: { signal: "SIGKILL" } });
      });

      test("a first run that timed out is not repeated", async () => {
        const record = await bench.run(bench.job([{ argv: ["sleep", "30"], timeoutMs: 100, rerun: true }]));
        expect(only(record)).toMatchObject({ endedBy: "timeout", flaky: false });
        expect(only(record).durationMs).toBeLessThan(10_000);
      });
    });

    describe("orders", () => {
      test("stop sends SIGTERM first, so that the command can clean up", async () => {
        const job = bench.job([
          "trap 'echo tidy; exit 7' TERM; echo ready; while :; do sleep 0.02; done",
          "touch later",
        ]);
        await bench.supervisors.start(job);
        await waitUntil(() => printed(job).includes("ready"));
        expect(await bench.supervisors.control(job.dir, "stop")).toBe(true);
        const result = await bench.watch(job.dir);
        expect(result).toMatchObject({
          kind: "ended",
          record: { commands: [{ endedBy: "cancel", exit: { code: 7 } }] },
        });
        expect(printed(job)).toEqual(["ready", "tidy"]);
        expect(existsSync(file("later"))).toBe(false);
      });

      test("stop kills a command that ignores it after the grace period, and keeps the first reason", async () => {
        const job = bench.job(["trap '' TERM; echo ready; while :; do sleep 0.02; done"]);
        await bench.supervisors.start(job);
        await waitUntil(() => printed(job).includes("ready"));
        const startedAt = performance.now();
        await bench.supervisors.control(job.dir, "stop");
        await bench.supervisors.control(job.dir, "stop");
        const result = await bench.watch(job.dir);
        expect(performance.now() - startedAt).toBeGreaterThan(POLITE_MS - 50);
        expect(result).toMatchObject({ record: { commands: [{ endedBy: "cancel", exit: { signal: "SIGKILL" } }] } });
      });

      test.each([
        ["release", "lost"],
        ["end_stuck", "stuck"],
      ] as const)("%s sends SIGTERM first too, and the command ends by `%s`", async (order, endedBy) => {
        const job = bench.job(["trap 'echo tidy; exit' TERM; echo ready; while :; do sleep 0.02; done"]);
        await bench.supervisors.start(job);
        await waitUntil(() => printed(job).includes("ready"));
        await bench.supervisors.control(job.dir, order);
        expect(await bench.watch(job.dir)).toMatchObject({ kind: "ended", record: { commands: [{ endedBy }] } });
        expect(printed(job)).toEqual(["ready", "tidy"]);
      });

      test("kill does not ask", async () => {
        const job = bench.job(["trap 'echo tidy' TERM; echo ready; while :; do sleep 0.02; done"]);
        await bench.supervisors.start(job);
        await waitUntil(() => printed(job).includes("ready"));
        await bench.supervisors.control(job.dir, "kill");
        expect(await bench.watch(job.dir)).toMatchObject({
          record: { commands: [{ endedBy: "kill", exit: { signal: "SIGKILL" } }] },
        });
        expect(printed(job)).toEqual(["ready"]);
      });

      test("pause suspends the whole process tree without counting against limits, and resume continues it", async () => {
        const job = bench.job([
          { ...shell(`(${TICKING}) & setsid sh -c '${TICKING}' & wait`), timeoutMs: 900, idleMs: 900 },
        ]);
        await bench.supervisors.start(job);
        await waitUntil(() => ticks() > 4);
        expect(await bench.supervisors.control(job.dir, "pause")).toBe(true);
        const before = ticks();
        await sleep(1_200); // longer than both limits
        expect(ticks()).toBe(before);
        await bench.supervisors.control(job.dir, "resume");
        await waitUntil(() => ticks() > before);
        const result = await bench.watch(job.dir);
        if (result.kind !== "ended") throw new Error("lost");
        expect(result.record.pausedMs).toBeGreaterThanOrEqual(1_150);
        expect(only(result.record).durationMs).toBeLessThan(1_200 + 900);
        expect(["timeout", "idle"]).toContain(only(result.record).endedBy);
      });

      test("a paused job can be stopped", async () => {
        const job = bench.job(["trap 'echo tidy; exit' TERM; echo ready; while :; do sleep 0.02; done"]);
        await bench.supervisors.start(job);
        await waitUntil(() => printed(job).includes("ready"));
        await bench.supervisors.control(job.dir, "pause");
        await bench.supervisors.control(job.dir, "stop");
        expect(await bench.watch(job.dir)).toMatchObject({ record: { commands: [{ endedBy: "cancel" }] } });
        expect(printed(job)).toContain("tidy");
      });

      test("a job can start paused, and wait for resume or stop", async () => {
        const waiting = bench.job(["touch ran"], { paused: true });
        const ended = bench.job(["touch never"], { paused: true });
        await Promise.all([bench.supervisors.start(waiting), bench.supervisors.start(ended)]);
        // Time in which a job that does not start paused would run.
        await sleep(200);
        expect(existsSync(file("ran"))).toBe(false);
        await bench.supervisors.control(waiting.dir, "resume");
        await bench.supervisors.control(ended.dir, "stop");
        expect(await bench.watch(waiting.dir)).toMatchObject({ record: { commands: [{ exit: { code: 0 } }] } });
        expect(await bench.watch(ended.dir)).toMatchObject({ record: { commands: [{ endedBy: "cancel" }] } });
        expect([existsSync(file("ran")), existsSync(file("never"))]).toEqual([true, false]);
      });
    });
  });
}
