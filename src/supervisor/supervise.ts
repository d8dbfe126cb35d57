import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  createFile,
  PROCESS_FILE,
  SUPERVISOR_FILE,
  SUPERVISOR_LOG,
  TRANSCRIPT,
} from "../adapters/process/job-files.ts";
import type { JobSecrets, StoredJob } from "../adapters/process/job-files.ts";
import { processStartTime } from "../adapters/process/process-table.ts";
import type { CommandResult, ExitRecord, JobCommand } from "../ports/supervisor.ts";
import { openAppendFile } from "./output/append-file.ts";
import { listenForOrders } from "./control-server.ts";
import type { ControlServer } from "./control-server.ts";
import { createDenials } from "./output/denials.ts";
import { describeFailure, reserveExitRecord, writeExitRecord } from "./exit-record.ts";
import { removePipes } from "./output/pipes.ts";
import { openProgressFile } from "./output/progress-file.ts";
import { createJobControl } from "./job-control.ts";
import type { JobControl } from "./job-control.ts";
import { runJob } from "./run-job.ts";

/** How long to retry writing the exit record on a full disk. */
const RECORD_TIMEOUT_MS = 60_000;

/** Runs a claimed job and writes its exit record. The record also contains failures of the supervisor itself. */
export async function supervise(job: StoredJob, jobSecrets: JobSecrets): Promise<void> {
  const startedAt = Date.now();
  const control = createJobControl(job.paused);
  const commands: CommandResult[] = [];
  const denials = createDenials();
  const crashed = handleSignals(control);
  let server: ControlServer | null = null;
  let error: ExitRecord["error"] = null;
  try {
    reserveExitRecord(job.dir, job.commands.length);
    server = await listenForOrders(job.socket, control.execute);
    if (!registerSupervisor(job.dir)) return server.stopListening();
    const { notifyGrown } = server;
    const transcript = openAppendFile(join(job.dir, TRANSCRIPT), notifyGrown);
    const progress = openProgressFile(job.dir, notifyGrown);
    const onStart = ({ name }: JobCommand) => progress.write(name, null);
    const onResult = (result: CommandResult) => {
      commands.push(result);
      progress.write(result.name, result);
    };
    try {
      await Promise.race([runJob({ job, jobSecrets, transcript, control, denials, onStart, onResult }), crashed]);
    } finally {
      transcript.close();
      progress.close();
    }
  } catch (failure) {
    error = describeFailure(failure);
    await control.abandon();
  }
  server?.stopListening();
  removeTemporaryFiles(job.dir);
  const record: ExitRecord = {
    run: job.run,
    startedAt,
    finishedAt: Date.now(),
    pausedMs: control.pausedMs(),
    commands,
    denials: denials.list(),
    error,
  };
  await writeExitRecord(job.dir, record, RECORD_TIMEOUT_MS);
  server?.disconnect();
}

/** Returns a promise that rejects on an uncaught exception or rejection. */
function handleSignals(control: JobControl): Promise<never> {
  // Closing a terminal or pressing Ctrl-C there must not end the job.
  for (const signal of ["SIGHUP", "SIGINT"] as const) process.on(signal, () => {});
  // Not "cancel", because no person asked for it. The machine may be shutting down.
  process.on("SIGTERM", () => control.endJob("lost", true));
  return new Promise((_, reject) => {
    process.on("uncaughtException", reject);
    process.on("unhandledRejection", reject);
  });
}

/** Makes this supervisor visible to watchers. Returns false if a watcher has given up on it; then nothing may start. */
function registerSupervisor(dir: string): boolean {
  return createFile(join(dir, SUPERVISOR_FILE), { pid: process.pid, startTime: processStartTime(process.pid) });
}

/** Best effort: the daemon cleans the run's directory anyway, and a failure must not prevent the exit record. */
function removeTemporaryFiles(dir: string): void {
  try {
    removePipes(dir);
    rmSync(join(dir, PROCESS_FILE), { force: true });
    const log = join(dir, SUPERVISOR_LOG);
    if (statSync(log, { throwIfNoEntry: false })?.size === 0) rmSync(log, { force: true });
  } catch (error) {
    console.error(error);
  }
}
