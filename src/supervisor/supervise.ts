import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  createFile,
  PROCESS_FILE,
  SUPERVISOR_FILE,
  SUPERVISOR_LOG,
  TRANSCRIPT,
} from "../adapters/process/job-files.ts";
import type { Handed, StoredJob } from "../adapters/process/job-files.ts";
import { processStartTime } from "../adapters/process/process-table.ts";
import type { CommandResult, ExitRecord } from "../ports/supervisor.ts";
import { openAppendFile } from "./output/append-file.ts";
import { listenForOrders } from "./control-server.ts";
import type { ControlServer } from "./control-server.ts";
import { createDenials } from "./output/denials.ts";
import { describeFailure, reserveExitRecord, writeExitRecord } from "./exit-record.ts";
import { removePipes } from "./output/pipes.ts";
import { createReins } from "./reins.ts";
import type { Reins } from "./reins.ts";
import { runJob } from "./run-job.ts";

/** How long to wait for room on a full disk before giving up on the record. */
const PATIENCE_MS = 60_000;

/** From the claim to the exit record. Every failure of our own ends in the record too. */
export async function supervise(job: StoredJob, handed: Handed): Promise<void> {
  const startedAt = Date.now();
  const reins = createReins(job.paused);
  const commands: CommandResult[] = [];
  const denials = createDenials();
  const crashed = obeySignals(reins);
  let server: ControlServer | null = null;
  let error: ExitRecord["error"] = null;
  try {
    reserveExitRecord(job.dir, job.commands.length);
    server = await listenForOrders(job.socket, reins.obey);
    if (!announce(job.dir)) return server.stopListening();
    const { grown } = server;
    const transcript = openAppendFile(join(job.dir, TRANSCRIPT), grown);
    const onResult = (result: CommandResult) => void commands.push(result);
    try {
      await Promise.race([runJob({ job, handed, transcript, reins, denials, onResult }), crashed]);
    } finally {
      transcript.close();
    }
  } catch (failure) {
    error = describeFailure(failure);
    await reins.abandon();
  }
  server?.stopListening();
  tidy(job.dir);
  const record: ExitRecord = {
    run: job.run,
    startedAt,
    finishedAt: Date.now(),
    pausedMs: reins.pausedMs(),
    commands,
    denials: denials.list(),
    error,
  };
  await writeExitRecord(job.dir, record, PATIENCE_MS);
  server?.disconnect();
}

/** Rejects with whatever nobody caught. */
function obeySignals(reins: Reins): Promise<never> {
  // Whoever closes a terminal or presses Ctrl-C there does not mean the work of the night.
  for (const signal of ["SIGHUP", "SIGINT"] as const) process.on(signal, () => {});
  // Not `cancel`: no person asked for it, the machine may be going down.
  process.on("SIGTERM", () => reins.endJob("lost", true));
  return new Promise((_, reject) => {
    process.on("uncaughtException", reject);
    process.on("unhandledRejection", reject);
  });
}

/** From here on everybody can find us. False when a watcher gave us up before: then nothing may start. */
function announce(dir: string): boolean {
  return createFile(join(dir, SUPERVISOR_FILE), { pid: process.pid, startTime: processStartTime(process.pid) });
}

/** Best effort: the daemon clears the run's directory anyway, and nothing may keep the record from being written. */
function tidy(dir: string): void {
  try {
    removePipes(dir);
    rmSync(join(dir, PROCESS_FILE), { force: true });
    const log = join(dir, SUPERVISOR_LOG);
    if (statSync(log, { throwIfNoEntry: false })?.size === 0) rmSync(log, { force: true });
  } catch (error) {
    console.error(error);
  }
}
