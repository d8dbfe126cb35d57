import { agentEnvironment, type AgentEnvironment } from "../../../core/prompt/agent-env.ts";
import { durationWords } from "../../../core/notices/notice-message.ts";
import type { ReportScope } from "../../../core/outcomes/outcome.ts";
import { outcomeJsonSchema } from "../../../core/outcomes/outcome-json-schema.ts";
import { resolveRun, type RunSettings } from "../../../core/settings/resolve-run.ts";
import type { PromptData } from "../../../core/prompt/prompt-context.ts";
import type { Role } from "../../../core/task/role.ts";
import type { Run } from "../../../core/task/run.ts";
import type { Agent, AgentCommand, AgentRun, AgentSession } from "../../../ports/agent.ts";
import type { ForgeCredentials } from "../../../ports/forge.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import type { Job, JobCommand, JobResult } from "../../../ports/supervisor.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import { chooseSession } from "./agent-session.ts";
import { withinBudget } from "./budget.ts";
import { GATEWAY_URL, planGateway, type PlannedGateway } from "./plan-gateway.ts";
import type { ReportServer } from "../../ports.ts";
import { agentPolicy, grantFor } from "../prepare/sandbox-policy.ts";
import { openWorkspace, setUpWorkspace } from "../prepare/setup-workspace.ts";
import { StepEnd, type StepContext, type Work } from "../step-context.ts";
import { supervise } from "../supervise.ts";
import { writePrompt } from "../prompt/write-prompt.ts";

const MAX_TRANSCRIPT_BYTES = 50_000_000;
const MAX_RUNS = 1_000;

/** What a run gets beyond what its role has: the forge's token, and what it is for. */
export interface PublishGrant {
  readonly credentials: ForgeCredentials;
  readonly data: PromptData;
  /** Just before the agent gets it. */
  readonly onStart: () => Promise<void>;
}

/** Prepare, context, configure, execute, monitor: the first five of a run's ten steps. */
export async function startAgent(
  context: StepContext,
  role: Role,
  work: Work,
  errand: PublishGrant | null = null,
): Promise<JobResult> {
  const { ports, run } = context;
  // Before anything is made for the run: it may be that it has no time or money left.
  const runSettings = await withinLimits(context, role);
  const [workspace, briefed] = await Promise.all([
    openWorkspace(context, run.id, work.headCommit),
    prepareRun(context, { role, work, runSettings, errand }),
  ]);
  ports.hooks.passCheckpoint("workspace.opened");
  const { job, files } = agentJob(context, { ...briefed, workspace, role, loan: errand?.credentials ?? null });
  // Set-up runs what stands in the tree: beside an agent that judges the tree, it could speak for it.
  const unfit = grantFor(context, role).executes ? await setUpWorkspace(context, workspace, briefed.paths) : null;
  if (unfit !== null) return unfit;
  await ports.runFiles.writeAgentFiles(briefed.paths, files);
  return supervise(context, job, errand?.onStart);
}

interface AgentExecution {
  readonly agent: Agent;
  readonly runSettings: RunSettings;
  readonly paths: RunPaths;
  readonly session: AgentSession;
  readonly workspace: Workspace;
  readonly role: Role;
  readonly loan: ForgeCredentials | null;
}

type PreparedRun = Pick<AgentExecution, "agent" | "runSettings" | "paths" | "session">;

interface PrepareParams {
  readonly role: Role;
  readonly work: Work;
  readonly runSettings: RunSettings;
  readonly errand: PublishGrant | null;
}

/** Who works, and what it is told. The files themselves play no part in it. */
async function prepareRun(
  context: StepContext,
  { role, work, runSettings, errand }: PrepareParams,
): Promise<PreparedRun> {
  const { ports, run, task } = context;
  const agent = ports.agents.create(runSettings.agentSettings);
  const { version, problem } = await ports.agents.checkVersion(agent);
  if (problem !== null) throw new StepEnd("agent_missing", problem);
  await ports.store.tasks.updateRun(context.lease, {
    agent: runSettings.agent,
    agentVersion: version,
    model: runSettings.model,
    sandbox: context.settings.sandbox.mode,
  });
  const paths = await ports.runFiles.prepare({ run: run.id, task: task.id, role });
  const session = await chooseSession(context, role, agent, runSettings.agent);
  const hasTool = agent.capabilities.mcp && ports.agents.findReportServer(paths, scopeOf(context, role)) !== null;
  const isResumed = session.kind === "resume";
  await writePrompt(context, { role, paths, work, isResumed, hasTool, data: errand?.data ?? {} });
  ports.hooks.passCheckpoint("prompt.written");
  return { agent, runSettings, paths, session };
}

function scopeOf({ pipeline }: StepContext, role: Role): ReportScope {
  return { role, plan: pipeline.plan };
}

/** What the settings give a run, as far as earlier ones left it. */
async function withinLimits(context: StepContext, role: Role): Promise<RunSettings> {
  const { ports, task, settings, state } = context;
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const given = withinTaskTime(context, resolveRun(settings, state.agent, task.options, role), runs);
  return withinBudget(context, given, runs);
}

/** `limits.task_timeout`: what earlier runs of the task used is gone. */
function withinTaskTime({ run, settings }: StepContext, runSettings: RunSettings, runs: readonly Run[]): RunSettings {
  const used = runs
    .filter(({ id, step }) => step === "agent" && id !== run.id)
    .reduce((sum, each) => sum + activeMs(each), 0);
  const left = settings.limits.taskTimeoutMs - used;
  if (left <= 0)
    throw new StepEnd(
      "timeout",
      `the task's agents have worked for ${durationWords(used)}: limits.task_timeout is used up`,
    );
  return { ...runSettings, timeoutMs: Math.min(runSettings.timeoutMs, left) };
}

function activeMs({ startedAt, finishedAt, pausedMs }: Run): number {
  return startedAt === null || finishedAt === null ? 0 : Math.max(0, finishedAt - startedAt - pausedMs);
}

interface AgentJob {
  readonly job: Job;
  /** What the CLI is to find when it starts. */
  readonly files: AgentCommand["files"];
}

function agentJob(context: StepContext, execution: AgentExecution): AgentJob {
  const { ports, run, settings } = context;
  const { agent, runSettings, paths, workspace, role, loan } = execution;
  const gateway = planGateway(context, agent, runSettings);
  const report = agent.capabilities.mcp ? ports.agents.findReportServer(paths, scopeOf(context, role)) : null;
  const command = agent.command(agentRun(context, execution, { gateway, report }));
  const { env, secrets } = environmentOf(context, execution, command);
  const agentCommand: JobCommand = {
    name: "agent",
    argv: command.argv,
    policy: agentPolicy(context, {
      workspace,
      paths,
      env,
      timeoutMs: runSettings.timeoutMs,
      role,
      read: [...command.read, ...(report?.read ?? [])],
      programs: agent.program === null ? [] : [agent.program.name],
      hide: command.hide ?? [],
      network: loan?.network ?? [],
    }),
    stdinFile: command.prompt === "stdin" ? paths.promptFile : null,
    timeoutMs: runSettings.timeoutMs,
    idleMs: runSettings.idleMs,
    maxOutputBytes: MAX_TRANSCRIPT_BYTES,
    killOutputBytes: null,
    logFile: null,
    ifFails: "stop",
    rerun: false,
    secretNames: Object.keys(secrets),
    gateway: gateway?.plan ?? null,
    outcomeFiles: [paths.outcomeFile, paths.reportFile],
  };
  const job: Job = {
    dir: paths.dir,
    run: run.id,
    sandbox: settings.sandbox.mode,
    commands: [agentCommand],
    secrets,
    keys: gateway?.keys ?? {},
    redact: ports.secrets.known(),
    paused: false,
  };
  return { job, files: { ...command.files, ...report?.files } };
}

interface RunEndpoints {
  readonly gateway: PlannedGateway | null;
  readonly report: ReportServer | null;
}

function agentRun(context: StepContext, execution: AgentExecution, { gateway, report }: RunEndpoints): AgentRun {
  const { runSettings, paths, workspace, role, session } = execution;
  const granted = grantFor(context, role);
  return {
    model: runSettings.model,
    maxTurns: runSettings.maxTurns,
    maxBudgetUsd: runSettings.maxBudgetUsd,
    tools: runSettings.tools,
    commands: granted.commands,
    session,
    promptFile: paths.promptFile,
    workspace: workspace.path,
    mayWrite: granted.workspace === "write",
    write: [paths.outcomeDir, paths.tmp, ...granted.write],
    read: granted.read,
    home: paths.home,
    filesDir: paths.filesDir,
    reportServer: report?.server ?? null,
    schema: outcomeJsonSchema(scopeOf(context, role)),
    gateway: gateway === null ? null : { url: GATEWAY_URL, key: gateway.plan.nonce, keyKind: gateway.plan.keyKind },
  };
}

function environmentOf(context: StepContext, execution: AgentExecution, command: AgentCommand): AgentEnvironment {
  const { ports, run, task, settings } = context;
  const { paths, role, loan } = execution;
  const made = agentEnvironment({
    host: ports.host.env,
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
    extra: { ...command.env, ...loan?.env },
  });
  return { ...made, secrets: { ...made.secrets, ...loan?.secrets } };
}
