import { agentEnvironment } from "../core/agent-env.ts";
import type { RunPaths } from "../ports/run-files.ts";
import type { CommandResult, ExitRecord, JobCommand } from "../ports/supervisor.ts";
import type { Workspace } from "../ports/workspace.ts";
import { commandPolicy } from "./sandbox-policy.ts";
import type { StepContext } from "./steps/step.ts";

const SETUP = "setup";
const SETUP_LOG = "setup.log";
const MAX_LOG_BYTES = 10_000_000;

/** A fresh tree at `commit`; the same one again when the run is taken up after a crash. */
export async function openWorkspace(context: StepContext, name: string, commit: string): Promise<Workspace> {
  const { ports, project, task, settings } = context;
  return ports.workspaces.open({
    project: project.name,
    task: task.id,
    name,
    commit,
    branch: task.branch ?? `agent/${task.id}`,
    copy:
      project.path === null || settings.workspace.copy.length === 0
        ? null
        : { from: project.path, files: settings.workspace.copy },
  });
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
    host: ports.hostEnv,
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
    policy: commandPolicy(context, { workspace, paths, env }),
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
  const tail = (await ports.runFiles.readLogTail(run.id, SETUP_LOG, TAIL_BYTES)).trim();
  const end = tail === "" ? [] : [`the end of what it printed (setup.log of the run):\n${tail}`];
  return [describeEnd(setup), ...denied, ...end].join("; ");
}

function describeEnd({ endedBy, durationMs, startError, exit }: CommandResult): string {
  if (endedBy === "timeout") return `the set-up command was still running after ${Math.round(durationMs / 1000)} s`;
  return `the set-up command ${startError ?? `exited with code ${exit.code ?? exit.signal ?? "unknown"}`}`;
}
