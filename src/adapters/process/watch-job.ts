import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { JobResult, WatchOptions } from "../../ports/supervisor.ts";
import { connect, sendLine } from "./connect.ts";
import {
  CLAIM,
  createFile,
  hasCode,
  PROCESS_FILE,
  readExitRecord,
  readJob,
  readRunningProcess,
  readSupervisor,
  runMark,
  SUPERVISOR_FILE,
  TRANSCRIPT,
} from "./job-files.ts";
import type { ProcessFile } from "./job-files.ts";
import { isProcessAlive } from "./process-table.ts";
import { sleep } from "./sleep.ts";
import { createTree } from "./tree.ts";

const POLL_MS = 100;

/** `startMs`: how long a supervisor may take from its start until it can be found. */
export async function watchJob(dir: string, options: WatchOptions, startMs: number): Promise<JobResult> {
  let patience = startMs;
  for (;;) {
    options.signal.throwIfAborted();
    // Looked at before the record: it may end between the two, but not come back.
    const supervisor = readSupervisor(dir);
    const alive = supervisor !== null && isAlive(supervisor);
    const record = readExitRecord(dir);
    if (record !== null) return { kind: "ended", record };
    if (alive) {
      await follow(dir, options);
    } else if (supervisor === null && patience > 0) {
      patience -= POLL_MS;
      await sleep(POLL_MS, options.signal);
    } else if (supervisor !== null || giveUp(dir)) {
      await endOrphans(dir);
      return { kind: "lost" };
    }
  }
}

export function isAlive({ pid, startTime }: ProcessFile): boolean {
  return pid > 0 && isProcessAlive(pid, startTime);
}

/**
 * Takes the place of the supervisor that did not come, so that one that is merely late starts nothing any more.
 * False when it came at the last moment.
 */
function giveUp(dir: string): boolean {
  try {
    mkdirSync(join(dir, CLAIM), { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  return createFile(join(dir, SUPERVISOR_FILE), { pid: 0, startTime: null } satisfies ProcessFile);
}

/** Until the supervisor hangs up; a single look where it cannot be reached. */
async function follow(dir: string, { signal, onOutput }: WatchOptions): Promise<void> {
  const socket = await connect(dir);
  if (socket === null) {
    const before = transcriptSize(dir);
    await sleep(POLL_MS, signal);
    if (transcriptSize(dir) > before) onOutput();
    return;
  }
  const hangUp = (): void => void socket.destroy();
  signal.addEventListener("abort", hangUp);
  try {
    sendLine(socket, { order: "watch" });
    await new Promise<void>((resolve) => {
      socket.on("data", onOutput);
      socket.once("close", () => resolve());
      if (signal.aborted) hangUp();
    });
  } finally {
    signal.removeEventListener("abort", hangUp);
  }
}

/** What a dead supervisor left running. */
async function endOrphans(dir: string): Promise<void> {
  const job = readJob(dir);
  const leader = readRunningProcess(dir);
  if (job === null) return;
  await createTree({ leader, environment: runMark(job.run), since: null }).end();
  rmSync(join(dir, PROCESS_FILE), { force: true });
  // The control socket, and those of the network and the gateway beside it.
  for (const suffix of ["", ".out", ".gw"]) rmSync(job.socket + suffix, { force: true });
}

function transcriptSize(dir: string): number {
  return statSync(join(dir, TRANSCRIPT), { throwIfNoEntry: false })?.size ?? 0;
}
