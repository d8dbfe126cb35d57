import { agentEnvironment } from "../core/agent-env.ts";
import { resolveRun, type RunSettings } from "../core/resolve-run.ts";
import type { Role } from "../core/role.ts";
import type { Run } from "../core/run.ts";
import type { Agent } from "../ports/agent.ts";
import type { RunPaths } from "../ports/run-files.ts";
import type { Job, JobCommand, JobResult } from "../ports/supervisor.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { Work } from "./prepare-work.ts";
import { openWorkspace, setupCommand } from "./setup-workspace.ts";
import { StepEnd, type StepContext } from "./steps/step.ts";
import { supervise } from "./supervise.ts";
import { writePrompt } from "./write-prompt.ts";

const MAX_TRANSCRIPT_BYTES = 50_000_000;
const MAX_RUNS = 1_000;

/** Prepare, context, configure, execute, monitor: the first five of a run's ten steps. */
export async function startAgent(context: StepContext, role: Role, work: Work): Promise<JobResult> {
  const { ports, run } = context;
  const [workspace, briefed] = await Promise.all([
    openWorkspace(context, run.id, work.headCommit),
    brief(context, role, work),
  ]);
  ports.pass("workspace.opened");
  return supervise(context, agentJob(context, { ...briefed, workspace, role }));
}

interface Execution {
  readonly agent: Agent;
  readonly runSettings: RunSettings;
  readonly paths: RunPaths;
  readonly workspace: Workspace;
  readonly role: Role;
}

type Briefed = Pick<Execution, "agent" | "runSettings" | "paths">;

/** Who works, within which limits, and what it is told. The files themselves play no part in it. */
async function brief(context: StepContext, role: Role, work: Work): Promise<Briefed> {
  const { ports, run, task } = context;
  const runSettings = await withinTaskTime(
    context,
    resolveRun(context.settings, context.state.agent, task.options, role),
  );
  const agent = ports.createAgent(runSettings.agentSettings);
  await ports.store.updateRun(context.lease, {
    agent: runSettings.agent,
    model: runSettings.model,
    sandbox: context.settings.sandbox.mode,
  });
  const paths = await ports.runFiles.prepare({ run: run.id, task: task.id, role });
  await writePrompt(context, { role, runSettings, paths, work });
  ports.pass("prompt.written");
  return { agent, runSettings, paths };
}

/** `limits.task_timeout`: what earlier runs of the task used is gone. */
async function withinTaskTime(
  { ports, task, run, settings }: StepContext,
  runSettings: RunSettings,
): Promise<RunSettings> {
  const runs = await ports.store.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const used = runs
    .filter(({ id, step }) => step === "agent" && id !== run.id)
    .reduce((sum, each) => sum + activeMs(each), 0);
  const left = settings.limits.taskTimeoutMs - used;
  if (left <= 0)
    throw new StepEnd(
      "timeout",
      `the task's agents have worked for ${Math.round(used / 60_000)} minutes: limits.task_timeout is used up`,
    );
  return { ...runSettings, timeoutMs: Math.min(runSettings.timeoutMs, left) };
}

function activeMs({ startedAt, finishedAt, pausedMs }: Run): number {
  return startedAt === null || finishedAt === null ? 0 : Math.max(0, finishedAt - startedAt - pausedMs);
}

function agentJob(context: StepContext, { agent, runSettings, paths, workspace, role }: Execution): Job {
  const { ports, run, task, settings } = context;
  const command = agent.command({
    role,
    model: runSettings.model,
    maxTurns: runSettings.maxTurns,
    maxBudgetUsd: runSettings.maxBudgetUsd,
    tools: runSettings.tools,
    sessionId: run.sessionId,
    promptFile: paths.promptFile,
  });
  const { env, secrets } = agentEnvironment({
    host: ports.hostEnv,
    granted: Object.entries(settings.secrets).flatMap(([name, { roles }]) => (roles.includes(role) ? [name] : [])),
    run: {
      task: task.id,
      run: run.id,
      role,
      attempt: run.attempt,
      outcomeFile: paths.outcomeFile,
      home: paths.home,
      tmp: paths.tmp,
    },
    extra: command.env,
  });
  const agentCommand: JobCommand = {
    name: "agent",
    argv: command.argv,
    policy: { cwd: workspace.path, write: [workspace.path, paths.home, paths.tmp, paths.outcomeDir], read: [], env },
    stdinFile: command.prompt === "stdin" ? paths.promptFile : null,
    timeoutMs: runSettings.timeoutMs,
    idleMs: runSettings.idleMs,
    maxOutputBytes: MAX_TRANSCRIPT_BYTES,
    killOutputBytes: null,
    logFile: null,
    ifFails: "stop",
    rerun: false,
    outcomeFile: paths.outcomeFile,
  };
  return {
    dir: paths.dir,
    run: run.id,
    sandbox: settings.sandbox.mode,
    commands: [...setupCommand(context, workspace, paths), agentCommand],
    secrets,
    paused: false,
  };
}
