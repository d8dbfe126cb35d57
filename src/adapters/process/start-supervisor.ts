import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Job } from "../../ports/supervisor.ts";
import { CLAIM, JOB_FILE, replaceFile, SUPERVISOR_FILE, SUPERVISOR_LOG } from "./job-files.ts";
import type { Handed, StoredJob, Timings } from "./job-files.ts";
import { sleep } from "./sleep.ts";
import { prepareSocketPath } from "./socket-path.ts";

export interface StartParams {
  readonly home: string;
  readonly node: string;
  readonly entry: string;
  readonly compileCache: string;
  readonly timings: Timings;
}

const POLL_MS = 3;
const GIVE_UP_MS = 30_000;
const MAX_TRIES = 3;

/** Resolves when the job's supervisor can be found, this one or one that was there before. */
export async function startSupervisor(job: Job, params: StartParams): Promise<void> {
  for (let tries = 1; !existsSync(join(job.dir, CLAIM)); tries++) {
    try {
      return await startOnce(job, params);
    } catch (error) {
      // Somebody killed it before it had claimed the job: nothing of the job has run, so it is started again.
      if (!(error instanceof KilledError) || tries >= MAX_TRIES) throw error;
    }
  }
}

class KilledError extends Error {}

async function startOnce(job: Job, params: StartParams): Promise<void> {
  replaceFile(join(job.dir, JOB_FILE), toStored(job, params));
  const child = spawnDetached(job.dir, params);
  // It may end without reading them: another supervisor was faster.
  const pipe = child.stdio[3];
  if (pipe instanceof Writable) pipe.on("error", () => {}).end(JSON.stringify(handed(job)));
  await waitUntilFound(job.dir, child);
}

function toStored(job: Job, { home, timings }: StartParams): StoredJob {
  const { secrets, keys, redact, ...rest } = job;
  const hasSecrets = Object.keys(secrets).length + Object.keys(keys).length + redact.length > 0;
  const cache = join(home, "cache", "sandbox");
  return { ...rest, hasSecrets, socket: prepareSocketPath(home, job.dir), cache, timings };
}

function handed({ secrets, keys, redact }: Job): Handed {
  return { secrets, keys, redact };
}

function spawnDetached(dir: string, { node, entry, compileCache }: StartParams): ChildProcess {
  const log = openSync(join(dir, SUPERVISOR_LOG), "a", 0o600);
  try {
    const child = spawn(node, [entry, dir], {
      cwd: dir,
      env: supervisorEnvironment(compileCache),
      detached: true,
      stdio: ["ignore", "ignore", log, "pipe"],
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** Next to nothing of ours: what a supervisor does not know, no command can get from it. */
function supervisorEnvironment(compileCache: string): Record<string, string> {
  // The cache holds the code without its types: a supervisor starts three times as fast.
  const env: Record<string, string> = { NODE_COMPILE_CACHE: compileCache };
  // The wall keeps the person's home out, wherever it is. And a Nightshift that is itself part of a run shall be found,
  // with its supervisors, when that run is swept.
  for (const name of ["PATH", "HOME", "NIGHTSHIFT_RUN"]) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

async function waitUntilFound(dir: string, child: ChildProcess): Promise<void> {
  let failure: string | null = null;
  let killed = false;
  child.once("error", (error) => (failure = error.message));
  child.once("exit", (code, signal) => {
    failure ??= `it ended with ${signal ?? code}`;
    killed = signal !== null;
  });
  const deadline = performance.now() + GIVE_UP_MS;
  while (!existsSync(join(dir, SUPERVISOR_FILE))) {
    if (failure !== null && existsSync(join(dir, CLAIM))) return;
    if (failure !== null || performance.now() > deadline) {
      throw new (killed ? KilledError : Error)(
        `The supervisor could not be started: ${failure ?? "it did not answer"}. ${readLog(dir)}`.trim(),
      );
    }
    await sleep(POLL_MS);
  }
}

function readLog(dir: string): string {
  try {
    return readFileSync(join(dir, SUPERVISOR_LOG), "utf8").slice(-2000).trim();
  } catch {
    return "";
  }
}
