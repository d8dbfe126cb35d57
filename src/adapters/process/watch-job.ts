import { rmSync, statSync } from "node:fs";
import { createConnection } from "node:net";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { JobResult, WatchOptions } from "../../ports/supervisor.ts";
import {
  claimJob,
  createFile,
  DEAD,
  PROCESS_FILE,
  PROGRESS_FILE,
  readExitRecord,
  readJob,
  readProgress,
  readRunningProcess,
  readSupervisor,
  runEnvironmentEntry,
  SUPERVISOR_FILE,
  TRANSCRIPT,
} from "./job-files.ts";
import type { ProcessFile } from "./job-files.ts";
import { isProcessAlive } from "./process-table.ts";
import { sleep } from "./sleep.ts";
import { createTree } from "./tree.ts";

const POLL_MS = 100;

export interface WatchedJob {
  readonly dir: string;
  readonly socket: string;
  /** The time that a supervisor may take to register. */
  readonly startMs: number;
}

/** Waits until the job has ended. */
export async function watchJob(job: WatchedJob, { onOutput, onProgress, signal }: WatchOptions): Promise<JobResult> {
  const reportProgress = onProgress === undefined ? () => undefined : createProgressReader(job.dir, onProgress);
  reportProgress();
  const result = await waitForEnd(job, {
    signal,
    onOutput: () => {
      reportProgress();
      onOutput();
    },
  });
  reportProgress();
  return result;
}

/** Returns a function that passes on what was added since its last call. */
function createProgressReader(dir: string, onProgress: NonNullable<WatchOptions["onProgress"]>): () => void {
  let reported = 0;
  return () => {
    for (const progress of readProgress(dir).slice(reported)) {
      reported += 1;
      onProgress(progress);
    }
  };
}

async function waitForEnd({ dir, socket, startMs }: WatchedJob, options: WatchOptions): Promise<JobResult> {
  let remainingMs = startMs;
  let hasFollowed = false;
  for (;;) {
    options.signal.throwIfAborted();
    // Check the supervisor before the record: it may exit in between, but it cannot come back.
    const supervisor = readSupervisor(dir);
    const alive = supervisor !== null && isAlive(supervisor);
    const record = readExitRecord(dir);
    if (record !== null) return { kind: "ended", record };
    if (alive) {
      // A supervisor that keeps closing the connection is polled, so that this loop always waits.
      if (hasFollowed) await sleep(POLL_MS, options.signal);
      hasFollowed = true;
      await follow(dir, options);
    } else if (supervisor === null && remainingMs > 0) {
      remainingMs -= POLL_MS;
      await sleep(POLL_MS, options.signal);
    } else if (supervisor !== null || giveUp(dir)) {
      await endOrphans(dir, socket);
      return { kind: "lost" };
    }
  }
}

export function isAlive({ pid, startTime }: ProcessFile): boolean {
  return pid > 0 && isProcessAlive(pid, startTime);
}

/**
 * Registers in place of the missing supervisor, so that a supervisor that is only late does not start the job any more.
 * Returns false if the supervisor has registered in the meantime.
 */
function giveUp(dir: string): boolean {
  claimJob(dir);
  return createFile(join(dir, SUPERVISOR_FILE), DEAD);
}

/** Forwards output notifications until the supervisor disconnects. If it cannot be reached, polls once. */
async function follow(dir: string, { signal, onOutput }: WatchOptions): Promise<void> {
  const socket = await connect(dir);
  if (socket === null) {
    const before = writtenSize(dir);
    await sleep(POLL_MS, signal);
    if (writtenSize(dir) > before) onOutput();
    return;
  }
  const disconnect = (): void => void socket.destroy();
  signal.addEventListener("abort", disconnect);
  try {
    sendLine(socket, { order: "watch" });
    await new Promise<void>((resolve) => {
      socket.on("data", onOutput);
      socket.once("close", () => resolve());
      if (signal.aborted) disconnect();
    });
  } finally {
    signal.removeEventListener("abort", disconnect);
  }
}

/** Ends the processes that a dead supervisor left behind, and removes its sockets. */
async function endOrphans(dir: string, socket: string): Promise<void> {
  const job = readJob(dir);
  const leader = readRunningProcess(dir);
  // Without a job, a power cut has damaged its file and has ended all processes.
  if (job !== null) await createTree({ leader, environment: runEnvironmentEntry(job.run), since: null }).end();
  rmSync(join(dir, PROCESS_FILE), { force: true });
  // The sockets of the control server, the network proxy and the two gateways.
  for (const suffix of ["", ".out", ".gw", ".fg"]) rmSync(socket + suffix, { force: true });
}

function writtenSize(dir: string): number {
  const sizes = [TRANSCRIPT, PROGRESS_FILE].map(
    (name) => statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Connects to the supervisor of the job in `dir`. Returns null if none is listening. */
export async function connect(dir: string): Promise<Socket | null> {
  const path = readJob(dir)?.socket;
  if (path === undefined) return null;
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once("connect", () => resolve(socket));
    // Later errors lead to a "close" event, which callers wait for.
    socket.on("error", () => resolve(null));
  });
}

export function sendLine(socket: Socket, message: unknown): void {
  socket.write(`${JSON.stringify(message)}\n`);
}
