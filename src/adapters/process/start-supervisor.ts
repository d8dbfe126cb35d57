import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MachineError } from "../../core/text/errors.ts";
import type { Job } from "../../ports/supervisor.ts";
import { CLAIM, JOB_FILE, replaceFile, SUPERVISOR_FILE, SUPERVISOR_LOG } from "./job-files.ts";
import type { StoredJob, Timings } from "./job-files.ts";
import { sleep } from "./sleep.ts";
import { prepareSocketPath } from "./socket-path.ts";
import type { WaitingSupervisor } from "./spawn-supervisor.ts";

export interface StartParams {
  readonly home: string;
  readonly timings: Timings;
  /** Returns a supervisor that waits for the job of this directory. */
  readonly acquire: (dir: string) => WaitingSupervisor;
}

const POLL_MS = 3;
const TIMEOUT_MS = 30_000;
const MAX_TRIES = 3;

/** Starts a supervisor unless the job already has one. Resolves when the job's supervisor is registered. */
export async function startSupervisor(job: Job, params: StartParams): Promise<void> {
  for (let tries = 1; !existsSync(join(job.dir, CLAIM)); tries++) {
    try {
      return await startOnce(job, params);
    } catch (error) {
      // The supervisor was killed before it claimed the job, so nothing has run yet and it is safe to retry.
      if (!(error instanceof KilledError) || tries >= MAX_TRIES) throw error;
    }
  }
}

class KilledError extends MachineError {}

async function startOnce(job: Job, { home, timings, acquire }: StartParams): Promise<void> {
  const { secrets, keys, redact, ...rest } = job;
  const cache = join(home, "cache", "sandbox");
  const stored: StoredJob = { ...rest, socket: prepareSocketPath(home, job.dir), cache, timings };
  replaceFile(join(job.dir, JOB_FILE), stored);
  const supervisor = acquire(job.dir);
  supervisor.sendSecrets({ secrets, keys, redact });
  await waitUntilRegistered(job.dir, supervisor.child);
}

async function waitUntilRegistered(dir: string, child: ChildProcess): Promise<void> {
  let failure: string | null = null;
  let killed = false;
  child.once("error", (error) => (failure = error.message));
  child.once("exit", (code, signal) => {
    failure ??= `it exited with ${signal ?? code}`;
    killed = signal !== null;
  });
  const deadline = performance.now() + TIMEOUT_MS;
  while (!existsSync(join(dir, SUPERVISOR_FILE))) {
    if (failure !== null && existsSync(join(dir, CLAIM))) return;
    if (failure !== null || performance.now() > deadline) {
      throw new (killed ? KilledError : MachineError)(
        `The supervisor could not be started: ${failure ?? "it did not respond in time"}. ${readLog(dir)}`.trim(),
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
