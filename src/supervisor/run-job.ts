import { mkdirSync, statfsSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import type { StoredJob } from "../adapters/process/job-files.ts";
import { sandboxes } from "../adapters/sandboxes/index.ts";
import { UserError } from "../core/errors.ts";
import type { CommandResult, JobCommand } from "../ports/supervisor.ts";
import { openAppendFile } from "./append-file.ts";
import type { AppendFile } from "./append-file.ts";
import { createOutput } from "./output.ts";
import type { Reins } from "./reins.ts";
import { createLogRenderer, createTranscriptRenderer } from "./render.ts";
import { runCommand } from "./run-command.ts";

export interface JobParams {
  readonly job: StoredJob;
  readonly secrets: Readonly<Record<string, string>>;
  readonly transcript: AppendFile;
  readonly reins: Reins;
  /** Called as each command ends, so that a later failure does not lose it. */
  readonly onResult: (result: CommandResult) => void;
}

/** The commands one after the other, as long as none that matters fails and nobody stops them. */
export async function runJob(params: JobParams): Promise<void> {
  const { job, reins, onResult } = params;
  for (const command of job.commands) {
    await reins.whenRunning();
    const ending = reins.ending();
    if (ending !== null) return onResult({ ...neverRan(command), endedBy: ending });
    const result = await runWithLog(params, command).catch((error: unknown) => {
      onResult({ ...neverRan(command), endedBy: error instanceof UserError ? "refused" : "kill" });
      throw error;
    });
    onResult(result);
    if (hasFailed(result) && result.endedBy === "exit") requireRoom(job.dir);
    // Ended from outside or not: the next turn says so of the command that comes next, so that none looks merely forgotten.
    if (command.ifFails === "stop" && hasFailed(result)) return;
  }
}

/** With less than this, next to nothing can be written. */
const FULL_BYTES = 1_000_000;

/** A command that fails on a full disk fails because of it: the record says so, and nobody blames the command. */
function requireRoom(dir: string): void {
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize < FULL_BYTES) throw Object.assign(new Error("The disk is full."), { code: "ENOSPC" });
}

async function runWithLog(params: JobParams, command: JobCommand): Promise<CommandResult> {
  if (command.logFile === null) return runWithRerun(params, command, params.transcript);
  const path = resolve(params.job.dir, command.logFile);
  if (!path.startsWith(params.job.dir + sep))
    throw new Error(`The log ${command.logFile} is outside the job's directory.`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const log = openAppendFile(path, () => {});
  try {
    return await runWithRerun(params, command, log);
  } finally {
    log.close();
  }
}

async function runWithRerun(params: JobParams, command: JobCommand, file: AppendFile): Promise<CommandResult> {
  const first = await runOnce(params, command, file);
  // Only a plain failure may be chance; what hung once hangs again, and what was stopped stays stopped.
  const mayBeFlaky = hasFailed(first) && first.endedBy === "exit" && first.startError === null;
  if (!command.rerun || !mayBeFlaky || params.reins.ending() !== null) return first;
  await params.reins.whenRunning();
  const second = await runOnce(params, command, file, "It failed and is run once more, to see whether it is flaky.");
  return {
    ...second,
    durationMs: first.durationMs + second.durationMs,
    outputBytes: first.outputBytes + second.outputBytes,
    flaky: !hasFailed(second),
  };
}

async function runOnce(
  params: JobParams,
  command: JobCommand,
  file: AppendFile,
  note?: string,
): Promise<CommandResult> {
  const { job, secrets, reins } = params;
  const confined = sandboxes[job.sandbox].confine(command.policy, command.argv);
  const createRenderer = command.logFile === null ? () => createTranscriptRenderer(command.name) : createLogRenderer;
  const output = createOutput({ file, createRenderer, maxBytes: command.maxOutputBytes });
  if (note !== undefined) output.note(note);
  const result = await runCommand({ job, command, confined, secrets, output, reins });
  if (result.startError !== null) output.note(result.startError);
  output.finish();
  return result;
}

export function hasFailed(result: CommandResult): boolean {
  return result.exit.code !== 0 || result.endedBy !== "exit" || result.startError !== null;
}

function neverRan(command: JobCommand): CommandResult {
  return {
    name: command.name,
    exit: { code: null, signal: null },
    endedBy: "exit",
    durationMs: 0,
    outputBytes: 0,
    flaky: false,
    startError: null,
  };
}
