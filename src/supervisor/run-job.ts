import { mkdirSync, statfsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { SANDBOX_DIR } from "../adapters/process/job-files.ts";
import type { JobSecrets, StoredJob } from "../adapters/process/job-files.ts";
import { sandboxes } from "../adapters/sandboxes/index.ts";
import { UserError } from "../core/text/errors.ts";
import { coversRule, parseNetworkRules } from "../policy/access/network-rule.ts";
import { createRedactor } from "../policy/secrets/redact.ts";
import type { Secret } from "../policy/secrets/secret-forms.ts";
import type { Denial } from "../ports/sandbox.ts";
import type { CommandResult, JobCommand } from "../ports/supervisor.ts";
import { openAppendFile } from "./output/append-file.ts";
import type { AppendFile } from "./output/append-file.ts";
import type { Denials } from "./output/denials.ts";
import { openForgeGatewayOf } from "./forge-gateway.ts";
import { openMcpBroker } from "./mcp-broker.ts";
import { openModelGateway } from "./model-gateway.ts";
import type { ModelGateway } from "./model-gateway.ts";
import { createOutput } from "./output/output.ts";
import type { Output } from "./output/output.ts";
import type { JobControl } from "./job-control.ts";
import { createRedactStreams } from "./output/redact-stream.ts";
import { createLogRenderer, createTranscriptRenderer } from "./output/render.ts";
import { runCommand } from "./run-command.ts";

export interface JobParams {
  readonly job: StoredJob;
  readonly jobSecrets: JobSecrets;
  readonly transcript: AppendFile;
  readonly control: JobControl;
  readonly denials: Denials;
  readonly onStart: (command: JobCommand) => void;
  /** Called when a command ends, so that a later failure does not lose its result. */
  readonly onResult: (result: CommandResult) => void;
}

/** Runs the commands in order until a command with `ifFails: stop` fails or the job is ended. */
export async function runJob(params: JobParams): Promise<void> {
  const { job, control, onStart, onResult } = params;
  for (const command of job.commands) {
    await control.whenRunning();
    const ending = control.ending();
    if (ending !== null) return onResult({ ...notRunResult(command), endedBy: ending });
    onStart(command);
    const result = await runWithLog(params, command).catch((error: unknown) => {
      onResult({ ...notRunResult(command), endedBy: error instanceof UserError ? "refused" : "kill" });
      throw error;
    });
    onResult(result);
    if (hasFailed(result) && result.endedBy === "exit") requireDiskSpace(job.dir);
    // If the job was ended, the next iteration records that for the next command, so that its result is not missing.
    if (command.ifFails === "stop" && hasFailed(result)) return;
  }
}

/** With less free space than this, the disk counts as full. */
const FULL_BYTES = 1_000_000;

/** If a command fails while the disk is full, the exit record reports the full disk as the cause. */
function requireDiskSpace(dir: string): void {
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
  const first = await runTo(params, command, openOutput(command, file));
  // Only an ordinary failure can be flaky. Timeouts, missing programs and commands that were ended are not repeated.
  const mayBeFlaky = hasFailed(first) && first.endedBy === "exit" && !couldNotStart(first);
  if (!command.rerun || !mayBeFlaky || params.control.ending() !== null) return first;
  await params.control.whenRunning();
  const failedRunEnd = file.size();
  const output = openOutput(command, file);
  output.note(describeRepetition(first));
  const start = file.size();
  const second = await runTo(params, command, output);
  return {
    ...second,
    durationMs: first.durationMs + second.durationMs,
    outputBytes: first.outputBytes + second.outputBytes,
    flaky: !hasFailed(second),
    repetition: { failedRunEnd, start },
  };
}

/** Separates the two runs in the log. */
function describeRepetition({ exit }: CommandResult): string {
  const how = exit.code === null ? "was ended by a signal" : `failed with exit code ${exit.code}`;
  return `===== The output above is from a run that ${how}. The command is repeated once, to see whether it is flaky. =====`;
}

function openOutput({ name, logFile, maxOutputBytes: maxBytes }: JobCommand, file: AppendFile): Output {
  const createRenderer = logFile === null ? () => createTranscriptRenderer(name) : createLogRenderer;
  return createOutput({ file, createRenderer, maxBytes });
}

async function runTo(params: JobParams, command: JobCommand, output: Output): Promise<CommandResult> {
  const result = await runWithGateway(params, command, output);
  if (result.startError !== null) output.note(result.startError);
  output.finish();
  return result;
}

async function runWithGateway(params: JobParams, command: JobCommand, output: Output): Promise<CommandResult> {
  const { job, jobSecrets, transcript } = params;
  const gateway = await openModelGateway({ job, command, jobSecrets, transcript, output });
  try {
    return await runWithForge(gateway, params, output);
  } finally {
    await gateway.close();
  }
}

async function runWithForge(gateway: ModelGateway, params: JobParams, output: Output): Promise<CommandResult> {
  const { job, jobSecrets } = params;
  const onDenied = reportDenials(params, gateway.command, output);
  const forge = await openForgeGatewayOf({ job, command: gateway.command, keys: jobSecrets.keys, onDenied });
  try {
    return await runWithMcp({ ...gateway, command: forge.command }, params, output);
  } finally {
    await forge.close();
  }
}

async function runWithMcp(gateway: ModelGateway, params: JobParams, output: Output): Promise<CommandResult> {
  const { job, jobSecrets } = params;
  const { command } = gateway;
  const broker = await openMcpBroker({ job, command, jobSecrets, onNote: (sentence) => output.note(sentence) });
  try {
    return await runInSandbox({ ...gateway, command: broker.command }, params, output, broker.close);
  } finally {
    await broker.close();
  }
}

function reportDenials(
  { jobSecrets, denials }: JobParams,
  { policy }: JobCommand,
  output: Output,
): (denial: Denial) => void {
  const { rules } = parseNetworkRules(policy.network);
  return (denial) => {
    const redacted = redactDenial(denial, jobSecrets.redact);
    const isGranted = denial.kind === "network" && coversRule(rules, denial.target);
    if (denials.add(redacted, isGranted)) output.note(redacted.sentence);
  };
}

async function runInSandbox(
  gateway: ModelGateway,
  params: JobParams,
  output: Output,
  onExit: () => Promise<void>,
): Promise<CommandResult> {
  const { job, jobSecrets, control } = params;
  const { command, refused } = gateway;
  const secrets = pick(jobSecrets.secrets, command.secretNames);
  const env = { ...command.policy.env, ...secrets, NIGHTSHIFT_RUN: job.run };
  const context = {
    dir: join(job.dir, SANDBOX_DIR),
    socket: `${job.socket}.out`,
    cache: job.cache,
    run: job.run,
    onDenied: reportDenials(params, command, output),
  };
  const confinement = await sandboxes[job.sandbox]
    .open({ ...command.policy, env }, command.argv, context)
    .catch(toStartError);
  if (typeof confinement === "string") return { ...notRunResult(command), startError: confinement };
  try {
    const createRedaction = createRedactStreams(jobSecrets.redact);
    return await runCommand({ job, command, confinement, refused, output, control, createRedaction, onExit });
  } finally {
    await confinement.close();
  }
}

function pick(from: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

/** A command may put a secret into a host name, and host names are lower-cased on the way. So redact both forms. */
function redactDenial(denial: Denial, secrets: readonly Secret[]): Denial {
  if (secrets.length === 0) return denial;
  const forms = secrets.flatMap(({ name, value }) => [
    { name, value },
    { name, value: value.toLowerCase() },
  ]);
  return createRedactor(forms).redactValue(denial);
}

/** A missing program is an error of the command, not of the sandbox. */
function toStartError(error: unknown): string {
  if (error instanceof UserError && error.kind === "not_found") return [error.message, error.hint].join(" ").trim();
  throw error;
}

/** A shell exits with 126 or 127 if the program of a command cannot be executed or is missing. */
function couldNotStart({ exit, startError }: CommandResult): boolean {
  return startError !== null || exit.code === 126 || exit.code === 127;
}

export function hasFailed(result: CommandResult): boolean {
  return result.exit.code !== 0 || result.endedBy !== "exit" || result.startError !== null;
}

function notRunResult(command: JobCommand): CommandResult {
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
