import { agentEnvironment } from "../../../core/prompt/agent-env.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import type { ExitRecord, Job, JobCommand, JobResult } from "../../../ports/supervisor.ts";
import type { OpenWorkspaceParams, TreeOverlay, Workspace } from "../../../ports/workspace.ts";
import { setupJobOf, wasStarted } from "../run-jobs.ts";
import { commandPolicy } from "./sandbox-policy.ts";
import { UserError } from "../../../core/text/errors.ts";
import { StepEnd, type CommandContext, type StepContext, type Work } from "../step-context.ts";
import { supervise } from "../supervise.ts";
import { findPreparedTree, findUntouchedTree } from "./reusable-trees.ts";
import { keepSetup, reuseSetup } from "./reuse-setup.ts";

export const SETUP = "setup";
export const SETUP_LOG = "setup.log";
const MAX_LOG_BYTES = 10_000_000;
const MAX_RUNS = 1_000;

/** Opens a fresh tree at `commit`, or reuses an untouched one. A run that continues after a crash gets its own tree again. */
export async function openWorkspace(
  context: CommandContext,
  name: string,
  commit: string,
  overlay: TreeOverlay | null = null,
): Promise<Workspace> {
  const { ports, project, task, run, settings } = context;
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  // The project's commands must not run in a tree that an agent has used.
  const unchanged = run.step === "agent" ? findUntouchedTree(runs) : null;
  const prepared = run.step === "checks" ? findPreparedTree(runs) : null;
  const { copy, link, ports: portCount } = settings.workspace;
  if (link.length > 0 && settings.sandbox.mode !== "enforce")
    throw new StepEnd("setup_failed", "workspace.link needs the sandbox, which keeps agents from changing the files");
  const fromCheckout = (files: readonly string[]): OpenWorkspaceParams["copy"] =>
    project.path === null || files.length === 0 ? null : { from: project.path, files };
  const branch = task.branch ?? `agent/${task.id}`;
  return ports.workspaces
    .open({
      project: project.name,
      task: task.id,
      name,
      commit,
      branch,
      unchanged,
      prepared,
      overlay,
      copy: fromCheckout(copy),
      link: fromCheckout(link),
      ports: portCount,
    })
    .catch(endOnInvalidSettings);
}

/** No attempt of an agent can repair settings such as `workspace.copy`. */
function endOnInvalidSettings(error: unknown): never {
  if (error instanceof UserError && error.kind === "invalid")
    throw new StepEnd("setup_failed", [error.message, error.hint].join(" ").trim());
  throw error;
}

/** The project's set-up command, if it has one. It runs in every tree, because trees do not share files. */
export function setupCommand(context: CommandContext, workspace: Workspace, paths: RunPaths): readonly JobCommand[] {
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
  // Set-up downloads dependencies. An immediate refusal is better than a minute of retries.
  return [{ ...command, policy: { ...command.policy, answersNo: true } }];
}

/**
 * Runs set-up as a job of its own before the agent starts, or reuses an earlier one, and records which files it created so that
 * they do not count as the agent's work. Returns null if the agent can start, otherwise how set-up ended.
 */
export async function setUpWorkspace(
  context: StepContext,
  { baseCommit }: Pick<Work, "baseCommit">,
  workspace: Workspace,
  paths: RunPaths,
): Promise<JobResult | null> {
  const { ports, run, task } = context;
  const commands = setupCommand(context, workspace, paths);
  // Wait for a started set-up even if the settings have changed since.
  const hasStarted = await wasStarted(ports, setupJobOf(run.id));
  if (commands.length === 0 && !hasStarted) return null;
  const { isDone, key } = hasStarted ? { isDone: false, key: null } : await reuseSetup(context, run.id, paths);
  if (isDone) {
    await recordSetup(context, true);
    return null;
  }
  const { dir } = await ports.runFiles.prepare({ run: setupJobOf(run.id), task: task.id, role: null });
  const ended = await supervise(context, projectJob(context, dir, commands));
  const hasSucceeded = ended.kind === "ended" && ended.record.error === null && !setupFailed(ended.record);
  // The agent's own changes must never reach other runs.
  if (hasSucceeded && key !== null && workspace.commit === baseCommit)
    await keepSetup(context, run.id, paths.home, key);
  await recordSetup(context, hasSucceeded);
  return hasSucceeded ? null : ended;
}

/** Also after a failed set-up, because its files are not the agent's work either. */
async function recordSetup({ ports, run, task }: StepContext, isFit: boolean): Promise<void> {
  try {
    await ports.workspaces.noteSetup({ task: task.id, name: run.id });
  } catch (error) {
    if (isFit) throw error;
    ports.log.warn("the files of the set-up could not be recorded", { run: run.id, error: String(error) });
  }
}

/** Adds the commands, denials and paused time of the set-up to the record of the agent's run. */
export async function mergeSetupRecord(context: StepContext, record: ExitRecord): Promise<ExitRecord> {
  const { ports, run, signal } = context;
  // If the agent was never started, the record already is that of the set-up.
  if (!(await wasStarted(ports, run.id)) || !(await wasStarted(ports, setupJobOf(run.id)))) return record;
  const dir = ports.runFiles.dir(setupJobOf(run.id));
  const setup = await ports.supervisors.watch(dir, { signal, onOutput: () => undefined });
  if (setup.kind === "lost") return record;
  return {
    ...record,
    startedAt: setup.record.startedAt,
    pausedMs: setup.record.pausedMs + record.pausedMs,
    commands: [...setup.record.commands, ...record.commands],
    // Records of earlier versions have no denials.
    denials: [...(setup.record.denials ?? []), ...(record.denials ?? [])],
  };
}

/** A job of the project's own commands. */
export function projectJob({ ports, run, settings }: CommandContext, dir: string, commands: Job["commands"]): Job {
  return {
    dir,
    run: run.id,
    sandbox: settings.sandbox.mode,
    commands,
    secrets: {},
    keys: {},
    redact: ports.secrets.known(),
    paused: false,
  };
}

type ShellCommand = Pick<JobCommand, "name" | "timeoutMs" | "logFile" | "ifFails" | "rerun"> & {
  readonly command: string;
};

/** One of the project's own commands, run in a tree as its developers would run it. It gets no secrets. */
export function shellCommand(
  context: CommandContext,
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
      ports: workspace.ports,
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
