import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TIMINGS } from "../../src/adapters/process/job-files.ts";
import { createSupervisors } from "../../src/adapters/process/supervisors.ts";
import type { TranscriptLine } from "../../src/core/task/documents/transcript.ts";
import type { ExitRecord, Job, JobCommand, Supervisors } from "../../src/ports/supervisor.ts";
import type { RunResult, RunOptions } from "./attack.ts";

/** Runs jobs with real supervisors, processes and sandboxes in a separate home. */
export interface JobRunner {
  readonly home: string;
  readonly supervisors: Supervisors;
  job(order: RunOptions): Job;
  finish(job: Job): Promise<RunResult>;
  /** Starts a job and waits for its end. */
  run(order: RunOptions): Promise<RunResult>;
  close(): Promise<void>;
}

const GRACE_MS = 300;
const silentLog = { info: () => {}, warn: () => {}, error: () => {} };

export function createJobRunner(home: string): JobRunner {
  const supervisors = createSupervisors({
    home,
    log: silentLog,
    // Reading the program takes most of a start, so all supervisors of a user share the compile cache.
    compileCache: process.env["NODE_COMPILE_CACHE"] ?? join(home, "cache"),
    timings: { ...TIMINGS, graceMs: GRACE_MS, hungMs: 400 },
  });
  const jobs: Job[] = [];
  let count = 0;

  function job(order: RunOptions): Job {
    const run = `run_attack_${process.pid}_${count++}`;
    const dir = join(home, "runs", run);
    mkdirSync(dir, { recursive: true });
    const made = {
      dir,
      run,
      sandbox: order.sandbox,
      secrets: {},
      keys: {},
      redact: [],
      paused: false,
      commands: [command(order)],
    };
    jobs.push(made);
    return made;
  }

  async function finish(started: Job): Promise<RunResult> {
    const options = { signal: new AbortController().signal, onOutput: () => {} };
    const result = await supervisors.watch(started.dir, options);
    if (result.kind !== "ended") throw new Error(`the job was ${result.kind}`);
    return readResult(started, result.record);
  }

  return {
    home,
    supervisors,
    job,
    finish,
    async run(order) {
      const made = job(order);
      await supervisors.start(made);
      return finish(made);
    },
    async close() {
      for (const { dir } of jobs) await supervisors.control(dir, "kill");
      for (const { dir } of jobs) while (await supervisors.isAlive(dir)) await sleep(10);
    },
  };
}

function command({ argv, policy, changes }: RunOptions): JobCommand {
  return {
    name: "agent",
    argv,
    policy,
    stdinFile: null,
    timeoutMs: 30_000,
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

function readResult(job: Job, record: ExitRecord): RunResult {
  const lines = readTranscript(job.dir);
  const from = (source: TranscriptLine["from"]) =>
    lines
      .filter((line) => line.from === source)
      .map(({ text }) => text)
      .join("\n");
  return { record, stdout: from("stdout"), stderr: from("stderr"), notes: from("supervisor") };
}

export function readTranscript(dir: string): readonly TranscriptLine[] {
  // Written by the supervisor, line by line.
  return readFileSync(join(dir, "transcript.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TranscriptLine);
}
