import { agentEnvironment } from "../../core/agent-env.ts";
import { sumUsage } from "../../core/cost.ts";
import { CHANGING_ROLES, FAILURE_OUTCOMES, type Outcome } from "../../core/outcome.ts";
import { readReport } from "../../core/read-outcome.ts";
import { resolveRun, type RunSettings } from "../../core/resolve-run.ts";
import type { Role } from "../../core/role.ts";
import type { Run } from "../../core/run.ts";
import type { TranscriptEvent } from "../../core/transcript.ts";
import type { Agent } from "../../ports/agent.ts";
import type { RunPaths } from "../../ports/run-files.ts";
import type { CommandResult, ExitRecord, Job, JobCommand } from "../../ports/supervisor.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { collectWork, type CollectedWork } from "../collect-work.ts";
import { prepareWork, type Work } from "../prepare-work.ts";
import { readAgentOutput } from "../read-output.ts";
import { openWorkspace, setupCommand, setupProblem } from "../setup-workspace.ts";
import { supervise } from "../supervise.ts";
import { writePrompt } from "../write-prompt.ts";
import { outcomeOf, resultOf, StepEnd, type StepContext, type StepResult } from "./step.ts";

const MAX_TRANSCRIPT_BYTES = 50_000_000;
const MAX_RUNS = 1_000;

/** The ten steps of an agent's run, but for the last two (advance, clean up), which every step shares. */
export async function runAgentStep(context: StepContext): Promise<StepResult> {
  const { ports, run, task } = context;
  const role = roleOf(context);
  if (task.order !== null && !(await ports.supervisors.isAlive(ports.runFiles.dir(run.id)))) return cancelled(context);
  const work = await prepareWork(context);
  const workspace = await openWorkspace(context, run.id, work.headCommit);
  ports.pass("workspace.opened");
  const paths = await ports.runFiles.prepare({ run: run.id, task: task.id, role });
  const runSettings = await withinTaskTime(context, resolveRun(context.settings, context.state.agent, task.options, role));
  const agent = ports.createAgent(runSettings.agentSettings);
  await ports.store.updateRun(context.lease, {
    agent: runSettings.agent,
    model: runSettings.model,
    sandbox: context.settings.sandbox.mode,
  });
  await writePrompt(context, { role, runSettings, paths, work });
  ports.pass("prompt.written");
  const record = await execute(context, { agent, runSettings, paths, workspace, role });
  ports.pass("supervisor.ended");
  const events = await readAgentOutput(ports, run.id, agent);
  const outcome = await conclude(context, role, record);
  ports.pass("outcome.read");
  const collected = await collectWork(context, work, { role, outcome });
  ports.pass("work.collected");
  return toResult(context, { outcome, record, events, work, collected, role });
}

/** `limits.task_timeout`: what earlier runs of the task used is gone. */
async function withinTaskTime({ ports, task, run, settings }: StepContext, runSettings: RunSettings): Promise<RunSettings> {
  const runs = await ports.store.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const used = runs.filter(({ id, step }) => step === "agent" && id !== run.id).reduce((sum, each) => sum + activeMs(each), 0);
  const left = settings.limits.taskTimeoutMs - used;
  if (left <= 0) throw new StepEnd("timeout", `the task's agents have worked for ${Math.round(used / 60_000)} minutes: limits.task_timeout is used up`);
  return { ...runSettings, timeoutMs: Math.min(runSettings.timeoutMs, left) };
}

function activeMs({ startedAt, finishedAt, pausedMs }: Run): number {
  return startedAt === null || finishedAt === null ? 0 : Math.max(0, finishedAt - startedAt - pausedMs);
}

function roleOf({ run, state }: StepContext): Role {
  if (run.role !== null) return run.role;
  throw new Error(`run ${run.id} in state ${state.name} has no role`);
}

function cancelled(context: StepContext): StepResult {
  return resultOf(context, outcomeOf("cancel", "cancelled before it started"), { endedBy: "cancel" });
}

interface Execution {
  readonly agent: Agent;
  readonly runSettings: RunSettings;
  readonly paths: RunPaths;
  readonly workspace: Workspace;
  readonly role: Role;
}

async function execute(context: StepContext, execution: Execution): Promise<ExitRecord> {
  const result = await supervise(context, agentJob(context, execution));
  if (result.kind === "ended") return result.record;
  throw new StepEnd("interrupted", "the supervisor of the run died; its process tree was ended");
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

/** What the run came to, from what is on disk: never from what the transcript says. */
async function conclude({ ports, run }: StepContext, role: Role, record: ExitRecord): Promise<Outcome> {
  const broken = brokenRecord(record);
  if (broken !== null) return broken;
  const ended = record.commands.find(({ name }) => name === "agent");
  if (ended === undefined) return outcomeOf("setup_failed", setupProblem(record));
  const file = await ports.runFiles.readOutcome(run.id);
  const reported = file.kind === "value" ? readReport(file.value, role) : null;
  if (reported?.ok === true && saysTheTruth(ended)) {
    await ports.runFiles.keepOutcome(run.id, { outcome: reported.outcome.name, ...reported.outcome.payload });
    return reported.outcome;
  }
  const failure = failureOf(ended);
  if (failure !== null) return failure;
  if (file.kind === "missing") return outcomeOf("invalid_output", `it ended without reporting an outcome; write ${OUTCOME_FILE_HINT}`);
  return outcomeOf("invalid_output", file.kind === "invalid" ? file.problem : problemOf(reported));
}

const OUTCOME_FILE_HINT = "the JSON of one to the path in NIGHTSHIFT_OUTCOME_FILE before you end";

function problemOf(reported: ReturnType<typeof readReport> | null): string {
  return reported?.ok === false ? reported.problem : "the report could not be read";
}

/** A report counts unless a person or a limit ended the run: then what stands in the file was not the agent's last word. */
function saysTheTruth({ endedBy }: CommandResult): boolean {
  return endedBy === "exit" || endedBy === "hung_after_outcome";
}

function brokenRecord({ error }: ExitRecord): Outcome | null {
  if (error === null) return null;
  return outcomeOf(error.kind === "internal" ? "interrupted" : error.kind, error.message);
}

function failureOf({ endedBy, exit, startError, durationMs }: CommandResult): Outcome | null {
  if (startError !== null) return outcomeOf("agent_missing", startError);
  switch (endedBy) {
    case "timeout":
      return outcomeOf("timeout", `it was still running after ${Math.round(durationMs / 1000)} s`);
    case "idle":
      return outcomeOf("timeout", `it said nothing for too long and was ended after ${Math.round(durationMs / 1000)} s`);
    case "cancel":
    case "kill":
      return outcomeOf("cancel", endedBy === "kill" ? "killed" : "cancelled");
    case "lost":
      return outcomeOf("interrupted", "the machine or somebody ended the supervisor");
    case "output":
      return outcomeOf("agent_error", "it printed more than allowed");
    case "refused":
      return outcomeOf("sandbox_refused", "the sandbox refused to start it");
    case "exit":
    case "hung_after_outcome":
      return exit.code === 0 ? null : outcomeOf("agent_error", describeExit(exit.code, exit.signal));
  }
}

function describeExit(code: number | null, signal: string | null): string {
  return signal === null ? `it exited with code ${code ?? "unknown"} and reported no outcome` : `it was ended by ${signal}`;
}

interface Ending {
  readonly outcome: Outcome;
  readonly record: ExitRecord;
  readonly events: readonly TranscriptEvent[];
  readonly work: Work;
  readonly collected: CollectedWork;
  readonly role: Role;
}

function toResult(context: StepContext, ending: Ending): StepResult {
  const { record, events, collected, role } = ending;
  const outcome = overrule(ending.outcome, collected, role);
  const ended = record.commands.findLast(() => true);
  const usage = sumUsage(events);
  return resultOf(context, outcome, {
    exit: ended?.exit ?? null,
    endedBy: ended?.endedBy ?? null,
    error: isFailure(outcome) ? outcome.summary : null,
    commit: collected.commit,
    work: collected.work,
    costUsd: usage.costUsd,
    costBasis: usage.basis,
    tokens: usage.tokens,
    pausedMs: record.pausedMs,
    artifacts: collected.artifacts,
  });
}

/** It says it changed something; the files say otherwise. The claim stays in the payload. */
function overrule(outcome: Outcome, collected: CollectedWork, role: Role): Outcome {
  if (!CHANGING_ROLES.includes(role) || outcome.name !== "implemented" || !collected.isEmpty) return outcome;
  return outcomeOf("no_changes", `it reported "${outcome.summary}" but changed no file`, { claimed: outcome.name, ...outcome.payload });
}

const BAD: readonly Outcome["name"][] = [...FAILURE_OUTCOMES, "setup_failed", "conflict", "no_changes"];

function isFailure({ name }: Outcome): boolean {
  return BAD.includes(name);
}
