import { mkdirSync, statfsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { WALL } from "../adapters/process/job-files.ts";
import type { Handed, StoredJob } from "../adapters/process/job-files.ts";
import { sandboxes } from "../adapters/sandboxes/index.ts";
import { UserError } from "../core/text/errors.ts";
import { createRedactor } from "../policy/secrets/redact.ts";
import type { Secret } from "../policy/secrets/secret-forms.ts";
import type { Denial } from "../ports/sandbox.ts";
import type { CommandResult, JobCommand } from "../ports/supervisor.ts";
import { openAppendFile } from "./output/append-file.ts";
import type { AppendFile } from "./output/append-file.ts";
import type { Denials } from "./output/denials.ts";
import { openModelGateway } from "./model-gateway.ts";
import type { ModelGateway } from "./model-gateway.ts";
import { createOutput } from "./output/output.ts";
import type { Output } from "./output/output.ts";
import type { Reins } from "./reins.ts";
import { createRedactStreams } from "./output/redact-stream.ts";
import { createLogRenderer, createTranscriptRenderer } from "./output/render.ts";
import { runCommand } from "./run-command.ts";

export interface JobParams {
  readonly job: StoredJob;
  readonly handed: Handed;
  readonly transcript: AppendFile;
  readonly reins: Reins;
  readonly denials: Denials;
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
  const createRenderer = command.logFile === null ? () => createTranscriptRenderer(command.name) : createLogRenderer;
  const output = createOutput({ file, createRenderer, maxBytes: command.maxOutputBytes });
  if (note !== undefined) output.note(note);
  const result = await confine(params, command, output);
  if (result.startError !== null) output.note(result.startError);
  output.finish();
  return result;
}

async function confine(params: JobParams, asked: JobCommand, output: Output): Promise<CommandResult> {
  const { job, handed, transcript } = params;
  const gateway = await openModelGateway({ job, command: asked, handed, transcript, output });
  try {
    return await confineBeside(gateway, params, output);
  } finally {
    await gateway.close();
  }
}

async function confineBeside(gateway: ModelGateway, params: JobParams, output: Output): Promise<CommandResult> {
  const { job, handed, reins } = params;
  const { command, refused } = gateway;
  const secrets = pick(handed.secrets, command.secretNames);
  const env = { ...command.policy.env, ...secrets, NIGHTSHIFT_RUN: job.run };
  const place = {
    dir: join(job.dir, WALL),
    socket: `${job.socket}.out`,
    cache: job.cache,
    run: job.run,
    onDenied(denial: Denial) {
      const told = redactDenial(denial, handed.redact);
      if (params.denials.add(told)) output.note(told.sentence);
    },
  };
  const confinement = await sandboxes[job.sandbox].open({ ...command.policy, env }, command.argv, place).catch(missing);
  if (typeof confinement === "string") return { ...neverRan(command), startError: confinement };
  try {
    const createRedaction = createRedactStreams(handed.redact);
    return await runCommand({ job, command, confinement, refused, output, reins, createRedaction });
  } finally {
    await confinement.close();
  }
}

function pick(from: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

/** Whoever asks for a host says what he likes in its name, and names of hosts lose their capitals on the way. */
function redactDenial(denial: Denial, secrets: readonly Secret[]): Denial {
  if (secrets.length === 0) return denial;
  const forms = secrets.flatMap(({ name, value }) => [
    { name, value },
    { name, value: value.toLowerCase() },
  ]);
  return createRedactor(forms).redactValue(denial);
}

/** A program that is not there is the command's fault, not the wall's. */
function missing(error: unknown): string {
  if (error instanceof UserError && error.kind === "not_found") return [error.message, error.hint].join(" ").trim();
  throw error;
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
