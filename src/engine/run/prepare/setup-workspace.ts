import { agentEnvironment } from "../../../core/prompt/agent-env.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import type { CommandResult, ExitRecord, JobCommand, JobResult } from "../../../ports/supervisor.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import { setupOf, wasStarted } from "../run-jobs.ts";
import { commandPolicy } from "./sandbox-policy.ts";
import type { StepContext } from "../step-context.ts";
import { supervise } from "../supervise.ts";
import { untouchedTree } from "./untouched-tree.ts";

const SETUP = "setup";
const SETUP_LOG = "setup.log";
const MAX_LOG_BYTES = 10_000_000;
const MAX_RUNS = 1_000;

/**
 * A fresh tree at `commit`, or one that is as good as fresh; the same one again when the run is taken up after a crash.
 */
export async function openWorkspace(context: StepContext, name: string, commit: string): Promise<Workspace> {
  const { ports, project, task, settings } = context;
  return ports.workspaces.open({
    project: project.name,
    task: task.id,
    name,
    commit,
    branch: task.branch ?? `agent/${task.id}`,
    unchanged: await findUntouched(context),
    copy:
      project.path === null || settings.workspace.copy.length === 0
        ? null
        : { from: project.path, files: settings.workspace.copy },
  });
}

/** For agents alone: where the project's own commands run, no agent ever was. */
async function findUntouched({ ports, run, task }: StepContext): Promise<string | null> {
  if (run.step !== "agent") return null;
  return untouchedTree(
    await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS }),
  );
}

/** The project's set-up command, where it has one: no tree carries over what an earlier one was given. */
export function setupCommand(context: StepContext, workspace: Workspace, paths: RunPaths): readonly JobCommand[] {
  const { setup, setupTimeoutMs } = context.settings.workspace;
  if (setup === null) return [];
  const command = shellCommand(context, workspace, paths, {
    name: SETUP,
    command: setup,
    timeoutMs: setupTimeoutMs,
    logFile: SETUP_LOG,
    ifFails: "stop",
    rerun: false,
  });
  // It is what downloads: to be told no at once is better than to try again for a minute.
  return [{ ...command, policy: { ...command.policy, answersNo: true } }];
}

/**
 * Set-up before an agent, as a job of its own: what it made is noted before the agent starts, so that none of it is taken
 * for the agent's work. Null when the agent can start, else how set-up ended.
 */
export async function setUpWorkspace(
  context: StepContext,
  workspace: Workspace,
  paths: RunPaths,
): Promise<JobResult | null> {
  const { ports, run, task, settings } = context;
  const commands = setupCommand(context, workspace, paths);
  // What was begun is waited for, whatever the settings say by now.
  if (commands.length === 0 && !(await wasStarted(ports, setupOf(run.id)))) return null;
  const { dir } = await ports.runFiles.prepare({ run: setupOf(run.id), task: task.id, role: null });
  const ended = await supervise(context, {
    dir,
    run: run.id,
    sandbox: settings.sandbox.mode,
    commands,
    secrets: {},
    keys: {},
    redact: ports.secrets.known(),
    paused: false,
  });
  const isFit = ended.kind === "ended" && ended.record.error === null && !setupFailed(ended.record);
  await noteSetup(context, isFit);
  return isFit ? null : ended;
}

/** Also of a set-up that failed: the half that it did is not the agent's work either. */
async function noteSetup({ ports, run, task }: StepContext, isFit: boolean): Promise<void> {
  try {
    await ports.workspaces.noteSetup({ task: task.id, name: run.id });
  } catch (error) {
    if (isFit) throw error;
    ports.log.warn("what set-up left could not be noted", { run: run.id, error: String(error) });
  }
}

/** The record of an agent's run with what its set-up was refused, and how long that was paused. */
export async function withSetup(context: StepContext, record: ExitRecord): Promise<ExitRecord> {
  const { ports, run, signal } = context;
  // Where it did not come to the agent, the record is the one of the set-up.
  if (!(await wasStarted(ports, run.id)) || !(await wasStarted(ports, setupOf(run.id)))) return record;
  const dir = ports.runFiles.dir(setupOf(run.id));
  const setup = await ports.supervisors.watch(dir, { signal, onOutput: () => undefined });
  if (setup.kind === "lost") return record;
  return {
    ...record,
    startedAt: setup.record.startedAt,
    pausedMs: setup.record.pausedMs + record.pausedMs,
    commands: [...setup.record.commands, ...record.commands],
    // A record of an earlier version has none.
    denials: [...(setup.record.denials ?? []), ...(record.denials ?? [])],
  };
}

type ShellCommand = Pick<JobCommand, "name" | "timeoutMs" | "logFile" | "ifFails" | "rerun"> & {
  readonly command: string;
};

/** A command of the project's own, run in a tree as the project's developers would run it. No secret is granted to it. */
export function shellCommand(
  context: StepContext,
  workspace: Workspace,
  paths: RunPaths,
  shell: ShellCommand,
): JobCommand {
  const { ports, task, run } = context;
  const { env } = agentEnvironment({
    host: ports.host.env,
    granted: [],
    run: {
      task: task.id,
      run: run.id,
      role: run.role ?? run.step,
      attempt: run.attempt,
      outcomeFile: paths.outcomeFile,
      home: paths.home,
      tmp: paths.tmp,
    },
    extra: { CI: "true" },
  });
  return {
    name: shell.name,
    argv: ["/bin/sh", "-c", shell.command],
    policy: commandPolicy(context, { workspace, paths, env, timeoutMs: shell.timeoutMs }),
    stdinFile: null,
    timeoutMs: shell.timeoutMs,
    idleMs: null,
    maxOutputBytes: MAX_LOG_BYTES,
    killOutputBytes: null,
    logFile: shell.logFile,
    ifFails: shell.ifFails,
    rerun: shell.rerun,
    secretNames: [],
    gateway: null,
    outcomeFiles: [],
  };
}

export function setupFailed(record: ExitRecord): boolean {
  const setup = record.commands.find(({ name }) => name === SETUP);
  return setup !== undefined && (setup.exit.code !== 0 || setup.endedBy !== "exit");
}

const TAIL_BYTES = 600;

/** With the end of what it printed, and what the sandbox refused it: mostly that is the reason. */
export async function setupProblem(
  { ports, run }: Pick<StepContext, "ports" | "run">,
  record: ExitRecord,
): Promise<string> {
  const setup = record.commands.find(({ name }) => name === SETUP);
  if (setup === undefined) return "the run ended before its agent was started";
  const denied = (record.denials ?? []).map(({ sentence }) => sentence);
  const job = run.step === "agent" ? setupOf(run.id) : run.id;
  const tail = (await ports.runFiles.readLogTail(job, SETUP_LOG, TAIL_BYTES)).trim();
  const end = tail === "" ? [] : [`the end of what it printed (setup.log of the run):\n${tail}`];
  return [describeEnd(setup), ...denied, ...end].join("; ");
}

function describeEnd({ endedBy, durationMs, startError, exit }: CommandResult): string {
  if (endedBy === "timeout") return `the set-up command was still running after ${Math.round(durationMs / 1000)} s`;
  return `the set-up command ${startError ?? `exited with code ${exit.code ?? exit.signal ?? "unknown"}`}`;
}
