import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { EndedBy } from "../../core/task/run.ts";
import type { TranscriptLine } from "../../core/task/transcript.ts";
import type {
  CommandProgress,
  CommandResult,
  ExitRecord,
  Job,
  JobCommand,
  JobResult,
  Supervisors,
} from "../../ports/supervisor.ts";
import { writeFiles, type Files } from "../temp-repo.ts";

/** What a scripted command does: files it writes into its workspace, what it reports, and how it ends. */
export interface ScriptedEnd {
  readonly files?: Files;
  /** Written to the outcome file, as an agent reports. */
  readonly report?: Readonly<Record<string, unknown>>;
  /** Written to the log file, or for an agent to the transcript. */
  readonly output?: string;
  readonly exitCode?: number;
  readonly endedBy?: EndedBy;
  /** The command failed with this output and passed when it was repeated. */
  readonly failedOutput?: string;
  /** The supervisor dies without an exit record. */
  readonly lost?: boolean;
}

/** Decides what a command does. `run` counts the earlier starts of the same command name and role. */
export type Script = (command: ScriptedCommand) => ScriptedEnd | Promise<ScriptedEnd>;

export interface ScriptedCommand {
  /** `agent`, `setup` or `check:<name>`. */
  readonly name: string;
  readonly role: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly run: number;
}

export interface ScriptedSupervisors extends Supervisors {
  /** `name` or `agent:<role>` of every command that was started, in order. */
  readonly started: readonly string[];
}

/** Supervisors that start no process: a script plays every command in this process, before `start` resolves. */
export function createScriptedSupervisors(script: Script): ScriptedSupervisors {
  const results = new Map<string, JobResult>();
  const progress = new Map<string, CommandProgress[]>();
  const started: string[] = [];

  async function play(job: Job): Promise<JobResult> {
    const commands: CommandResult[] = [];
    const steps: CommandProgress[] = [];
    progress.set(job.dir, steps);
    for (const command of job.commands) {
      const label = labelOf(command);
      const run = started.filter((each) => each === label).length;
      started.push(label);
      steps.push({ at: Date.now(), command: command.name, result: null });
      const { cwd, env } = command.policy;
      const end = await script({
        name: command.name,
        role: env["NIGHTSHIFT_ROLE"] ?? "",
        argv: command.argv,
        cwd,
        run,
      });
      if (end.lost === true) return { kind: "lost" };
      await perform(job, command, end);
      const result = toResult(command, end);
      commands.push(result);
      steps.push({ at: Date.now(), command: command.name, result });
      if (command.ifFails === "stop" && (end.exitCode ?? 0) !== 0) break;
    }
    return { kind: "ended", record: toRecord(job, commands) };
  }

  return {
    started,
    prepare: () => undefined,
    dismiss: () => undefined,
    start: async (job) => {
      if (!results.has(job.dir)) results.set(job.dir, await play(job));
    },
    watch: async (dir, { onProgress = () => undefined }) => {
      progress.get(dir)?.forEach((each) => onProgress(each));
      return results.get(dir) ?? { kind: "lost" };
    },
    control: async () => false,
    wasStarted: async (dir) => results.has(dir),
    sweep: async () => undefined,
    isAlive: async () => false,
  };
}

function labelOf({ name, policy }: JobCommand): string {
  return name === "agent" ? `agent:${policy.env["NIGHTSHIFT_ROLE"]}` : name;
}

async function perform(
  job: Job,
  { name, policy, logFile }: JobCommand,
  { files, report, output, failedOutput = "" }: ScriptedEnd,
): Promise<void> {
  await writeFiles(policy.cwd, files ?? {});
  const outcomeFile = policy.env["NIGHTSHIFT_OUTCOME_FILE"];
  if (report !== undefined && outcomeFile !== undefined) await writeFile(outcomeFile, JSON.stringify(report));
  if (output === undefined) return;
  if (logFile === null) return writeTranscript(job, name, output);
  await mkdir(dirname(join(job.dir, logFile)), { recursive: true });
  await writeFile(join(job.dir, logFile), `${failedOutput}${output}`);
}

async function writeTranscript({ dir }: Job, command: string, output: string): Promise<void> {
  const lines = output.trimEnd().split("\n");
  const rows = lines.map((text): TranscriptLine => ({ at: Date.now(), from: "stdout", command, text }));
  await appendFile(join(dir, "transcript.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

function toResult({ name }: JobCommand, { exitCode = 0, endedBy = "exit", failedOutput }: ScriptedEnd): CommandResult {
  return {
    name,
    exit: { code: exitCode, signal: null },
    endedBy,
    durationMs: 1,
    outputBytes: 0,
    flaky: failedOutput !== undefined && exitCode === 0,
    ...(failedOutput !== undefined && {
      repetition: { failedRunEnd: Buffer.byteLength(failedOutput), start: Buffer.byteLength(failedOutput) },
    }),
    startError: null,
  };
}

function toRecord(job: Job, commands: readonly CommandResult[]): ExitRecord {
  const at = Date.now();
  return { run: job.run, startedAt: at, finishedAt: at, pausedMs: 0, commands, denials: [], error: null };
}
