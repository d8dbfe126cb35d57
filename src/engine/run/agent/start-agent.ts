import { agentEnvironment, type AgentEnvironment } from "../../../core/prompt/agent-env.ts";
import { durationWords } from "../../../core/notices/notice-message.ts";
import type { ReportScope } from "../../../core/outcomes/outcome.ts";
import { outcomeJsonSchema } from "../../../core/outcomes/outcome-json-schema.ts";
import { readExecutionPlan } from "../../../core/outcomes/execution-plan.ts";
import { UserError } from "../../../core/text/errors.ts";
import { accountOf, resolveRun, type RunSettings } from "../../../core/settings/resolve-run.ts";
import type { PromptData } from "../../../core/prompt/prompt-context.ts";
import type { Role } from "../../../core/task/role.ts";
import type { Run } from "../../../core/task/run.ts";
import type { Agent, AgentCommand, AgentRun, AgentSession } from "../../../ports/agent.ts";
import type { ForgeCredentials } from "../../../ports/forge.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import type { Job, JobCommand, JobResult } from "../../../ports/supervisor.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import { applyBudget } from "./budget.ts";
import { planForgeGateway } from "./plan-forge-gateway.ts";
import { planMcpServers, requirePlannedTools, type PlannedMcp } from "./plan-mcp-servers.ts";
import type { ReportServer } from "../../ports.ts";
import { recordGrants } from "./record-grants.ts";
import { agentPolicy, grantFor, writablePaths } from "../prepare/sandbox-policy.ts";
import { startFileRecord } from "../conclude/record-files.ts";
import { openInPlace } from "../prepare/open-in-place.ts";
import { prepareCheckTree } from "../prepare/reusable-trees.ts";
import { openWorkspace, setUpWorkspace } from "../prepare/setup-workspace.ts";
import { outcomeOf, StepEnd, type StepContext, type Work } from "../step-context.ts";
import { requireSession } from "../may-repeat.ts";
import { supervise } from "../supervise.ts";
import { createStuckWatch } from "./watch-stuck.ts";
import { writePrompt } from "../prompt/write-prompt.ts";
import { findKeyProblem, findModelAccess } from "../../../policy/access/model-access.ts";
import type { GatewayPlan } from "../../../ports/gateway.ts";

const MAX_TRANSCRIPT_BYTES = 50_000_000;
const MAX_RUNS = 1_000;

/** Additional access of a run that publishes: the forge's credentials, and the prompt data about their use. */
export interface PublishGrant {
  readonly credentials: ForgeCredentials;
  readonly data: PromptData;
  /** Called directly before the agent starts. */
  readonly onStart: () => Promise<void>;
}

/** Prepares the workspace and the prompt, starts the agent and waits for its end. `work`: null for a task that works in place. */
export async function startAgent(
  context: StepContext,
  role: Role,
  work: Work | null,
  grant: PublishGrant | null = null,
): Promise<JobResult> {
  const { ports, run } = context;
  // First, because the run may have no time or budget left.
  const runSettings = await applyLimits(context, role);
  const [workspace, prepared] = await Promise.all([
    work === null ? openInPlace(context, role) : openWorkspace(context, run.id, work.headCommit),
    prepareRun(context, { role, work, runSettings, grant }),
  ]);
  ports.hooks.passCheckpoint("workspace.opened");
  const { job, files, agentRun } = agentJob(context, {
    ...prepared,
    workspace,
    role,
    credentials: grant?.credentials ?? null,
  });
  const setupEnd = work === null ? null : await setUp(context, { role, work, workspace, paths: prepared.paths });
  if (setupEnd !== null) return setupEnd;
  await startFileRecord(context, role, workspace);
  await ports.runFiles.writeAgentFiles(prepared.paths, files);
  await recordGrants(context, { role, runSettings, workspace, job, agentRun });
  const preparing = work === null ? null : prepareCheckTree(context, role, work.headCommit);
  try {
    return await supervise(context, job, { onStart: grant?.onStart, onOutput: createStuckWatch(context, role) });
  } finally {
    await preparing;
  }
}

interface SetupParams extends Pick<AgentExecution, "role" | "workspace" | "paths"> {
  readonly work: Work;
}

/** Runs the project's set-up and creates the directories of the plan. Returns null if the agent can start. */
async function setUp(context: StepContext, { role, work, workspace, paths }: SetupParams): Promise<JobResult | null> {
  const { ports, run, task } = context;
  // Set-up executes files of the tree. For a verdict role it could forge the verdict on that tree.
  const { executes, inWorkspace, write } = grantFor(context, role);
  const end = executes ? await setUpWorkspace(context, work, workspace, paths) : null;
  if (end !== null) return end;
  // Since the approval, a directory may have been removed, or replaced by a link to another one.
  const problems = role === "execute" ? ports.sandbox.refuseDirectories(write) : [];
  if (problems.length > 0) throw new StepEnd("sandbox_refused", problems.join("\n"));
  // After set-up, which could have replaced a directory by a link.
  await ports.workspaces.makeDirectories({ task: task.id, name: run.id }, inWorkspace).catch(refuseDirectory);
  return null;
}

function refuseDirectory(error: unknown): never {
  if (error instanceof UserError && error.kind === "invalid") throw new StepEnd("sandbox_refused", error.message);
  throw error;
}

interface AgentExecution {
  readonly agent: Agent;
  readonly runSettings: RunSettings;
  readonly paths: RunPaths;
  readonly session: AgentSession;
  readonly workspace: Workspace;
  readonly role: Role;
  readonly credentials: ForgeCredentials | null;
}

type PreparedRun = Pick<AgentExecution, "agent" | "runSettings" | "paths" | "session">;

interface PrepareParams {
  readonly role: Role;
  readonly work: Work | null;
  readonly runSettings: RunSettings;
  readonly grant: PublishGrant | null;
}

/** Creates the agent, chooses its session and writes its prompt. Does not need the workspace. */
async function prepareRun(
  context: StepContext,
  { role, work, runSettings, grant }: PrepareParams,
): Promise<PreparedRun> {
  const { ports, run, task } = context;
  const agent = ports.agents.create(runSettings.agentSettings);
  const { version, problem } = await ports.agents.checkVersion(agent);
  if (problem !== null) throw new StepEnd("agent_missing", problem);
  await requirePlannedTools(context, role, agent);
  await ports.store.tasks.updateRun(context.lease, {
    agent: runSettings.agent,
    account: accountOf(runSettings, context.project.name),
    agentVersion: version,
    model: runSettings.model,
    sandbox: context.settings.sandbox.mode,
  });
  const paths = await ports.runFiles.prepare({ run: run.id, task: task.id, role });
  const session = await chooseSession(context, role, agent, runSettings.agent);
  await requireSession(context, session);
  const hasTool = agent.capabilities.mcp && ports.agents.findReportServer(paths, scopeOf(context, role)) !== null;
  const isResumed = session.kind === "resume";
  await writePrompt(context, { role, paths, work, isResumed, hasTool, data: grant?.data ?? {} });
  ports.hooks.passCheckpoint("prompt.written");
  return { agent, runSettings, paths, session };
}

function scopeOf({ pipeline }: StepContext, role: Role): ReportScope {
  return { role, plan: pipeline.plan };
}

/** The settings of the run, reduced to the time and budget that earlier runs left. */
async function applyLimits(context: StepContext, role: Role): Promise<RunSettings> {
  const { ports, task, settings, state } = context;
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const planned = applyPlanLimits(context, role, resolveRun(settings, state.agent, task.options, role));
  return applyBudget(context, applyTaskTimeout(context, planned, runs));
}

/** A person approved the plan with these limits. */
function applyPlanLimits({ task }: StepContext, role: Role, runSettings: RunSettings): RunSettings {
  const limits = role === "execute" ? readExecutionPlan(task.plan)?.limits : undefined;
  const { timeoutMs, maxBudgetUsd } = runSettings;
  return {
    ...runSettings,
    timeoutMs: Math.min(timeoutMs, (limits?.minutes ?? Infinity) * 60_000),
    maxBudgetUsd: limits?.usd === undefined ? maxBudgetUsd : Math.min(limits.usd, maxBudgetUsd ?? Infinity),
  };
}

/** `limits.task_timeout` is shared by all runs of the task. */
function applyTaskTimeout({ run, settings }: StepContext, runSettings: RunSettings, runs: readonly Run[]): RunSettings {
  const usedMs = runs
    .filter(({ id, step }) => step === "agent" && id !== run.id)
    .reduce((sum, each) => sum + activeMs(each), 0);
  const remainingMs = settings.limits.taskTimeoutMs - usedMs;
  if (remainingMs <= 0)
    throw new StepEnd(
      outcomeOf(
        "timeout",
        `the task's agents have worked for ${durationWords(usedMs)}: limits.task_timeout is used up`,
        {
          final: true,
        },
      ),
    );
  return { ...runSettings, timeoutMs: Math.min(runSettings.timeoutMs, remainingMs) };
}

function activeMs({ startedAt, finishedAt, pausedMs }: Run): number {
  return startedAt === null || finishedAt === null ? 0 : Math.max(0, finishedAt - startedAt - pausedMs);
}

interface AgentJob {
  readonly job: Job;
  /** Files that the CLI needs when it starts. */
  readonly files: AgentCommand["files"];
  readonly agentRun: AgentRun;
}

function agentJob(context: StepContext, execution: AgentExecution): AgentJob {
  const { ports, run, settings } = context;
  const { agent, runSettings, paths, workspace, role, credentials } = execution;
  const gateway = planGateway(context, agent, runSettings);
  const report = agent.capabilities.mcp ? ports.agents.findReportServer(paths, scopeOf(context, role)) : null;
  const mcp = planMcpServers(context, role, agent, paths);
  const agentRun = describeAgentRun(context, execution, { gateway, report, mcp });
  const command = agent.command(agentRun);
  const forge = planForgeGateway(context, role, paths);
  const { env, secrets } = environmentOf(context, execution, { ...command, env: { ...command.env, ...forge?.env } });
  const agentCommand: JobCommand = {
    name: "agent",
    argv: command.argv,
    policy: agentPolicy(context, {
      workspace,
      paths,
      env,
      timeoutMs: runSettings.timeoutMs,
      role,
      read: [...command.read, ...(report?.read ?? []), ...mcp.read],
      programs: [...(agent.program === null ? [] : [agent.program.name]), ...mcp.programs],
      hide: command.hide ?? [],
      network: credentials?.network ?? [],
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
    ...(forge !== null && { forgeGateway: forge.plan }),
    ...(mcp.brokered.length > 0 && { mcpServers: mcp.brokered }),
    outcomeFiles: [paths.outcomeFile, paths.reportFile],
  };
  const job: Job = {
    dir: paths.dir,
    run: run.id,
    sandbox: settings.sandbox.mode,
    commands: [agentCommand],
    secrets,
    keys: { ...mcp.keys, ...gateway?.keys, ...forge?.keys },
    redact: ports.secrets.known(),
    paused: false,
  };
  return { job, agentRun, files: { ...command.files, ...report?.files, ...forge?.files } };
}

interface RunEndpoints {
  readonly gateway: PlannedGateway | null;
  readonly report: ReportServer | null;
  readonly mcp: PlannedMcp;
}

function describeAgentRun(
  context: StepContext,
  execution: AgentExecution,
  { gateway, report, mcp }: RunEndpoints,
): AgentRun {
  const { runSettings, paths, workspace, role, session } = execution;
  const granted = grantFor(context, role);
  const writable = writablePaths(granted, workspace);
  const plan = role === "execute" ? readExecutionPlan(context.task.plan) : null;
  return {
    model: runSettings.model,
    maxTurns: runSettings.maxTurns,
    maxBudgetUsd: runSettings.maxBudgetUsd,
    tools: plan?.tools ?? runSettings.tools,
    systemPrompt: plan?.system_prompt ?? null,
    commands: granted.commands,
    session,
    promptFile: paths.promptFile,
    workspace: workspace.path,
    mayWrite: writable.length + granted.write.length > 0,
    write: [paths.outcomeDir, paths.tmp, ...granted.write],
    read: granted.read,
    home: paths.home,
    filesDir: paths.filesDir,
    reportServer: report?.server ?? null,
    mcpServers: mcp.servers,
    schema: outcomeJsonSchema(scopeOf(context, role)),
    gateway: gateway === null ? null : { url: GATEWAY_URL, key: gateway.plan.nonce, keyKind: gateway.plan.keyKind },
  };
}

function environmentOf(context: StepContext, execution: AgentExecution, command: AgentCommand): AgentEnvironment {
  const { ports, run, task, settings } = context;
  const { paths, workspace, role, credentials } = execution;
  const environment = agentEnvironment({
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
      ports: workspace.ports,
    },
    extra: { ...command.env, ...credentials?.env },
  });
  return { ...environment, secrets: { ...environment.secrets, ...credentials?.secrets } };
}

/**
 * Resumes the session of the last run of the same role and agent, for example after an interruption, a limit, an answer or
 * a failed check. Roles never share a session. With `session: fresh`, the next category and the next try start a new
 * session, because a resumed session gets only the latest changes as its prompt.
 */
export async function chooseSession(
  context: StepContext,
  role: Role,
  agent: Agent,
  name: string,
): Promise<AgentSession> {
  const { ports, task, run, pipeline } = context;
  const fresh: AgentSession = { kind: "new", id: toUuid(ports.digest(`session of ${run.id} ${run.token}`)) };
  const isSeparate = role === "rank" || run.trigger?.kind === "single";
  if (!agent.capabilities.sessions || context.state.workspace === "fresh" || isSeparate) return fresh;
  // A new review is not biased by an earlier one. It gets the earlier comments in its prompt.
  if ((pipeline.policy.session === "fresh" || role === "review") && run.trigger === null) return fresh;
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const last = runs.findLast((each) => each.id !== run.id && each.role === role && each.agent === name);
  // Resuming a session that was too long would fail again.
  if (last === undefined || last.sessionId === null || last.outcome === "context_too_long") return fresh;
  return { kind: "resume", id: last.sessionId };
}

/** CLIs require a version 4 UUID. */
function toUuid(hex: string): string {
  const part = (from: number, to: number): string => hex.slice(from, to);
  return [part(0, 8), part(8, 12), `4${part(13, 16)}`, `8${part(17, 20)}`, part(20, 32)].join("-");
}

/** Address of the gateway inside the sandbox. Without a sandbox, the supervisor replaces it with the real port. */
export const GATEWAY_URL = "http://127.0.0.1:3129";

export interface PlannedGateway {
  readonly plan: GatewayPlan;
  readonly keys: Readonly<Record<string, string>>;
}

/** Returns null for a CLI that cannot be pointed to a gateway. It reaches its model directly, with the secrets granted to it. */
export function planGateway(context: StepContext, agent: Agent, runSettings: RunSettings): PlannedGateway | null {
  const { ports, run, settings } = context;
  const api = agent.capabilities.gateway;
  if (api === null) return null;
  const access = findModelAccess(api, ports.host.env);
  const problem = findKeyProblem(api, ports.host.env);
  if (access === null || problem !== null) throw new StepEnd("login_expired", `${agent.kind}: ${problem}`);
  // Keys read from a file often end with a line break.
  const key = ports.host.env[access.keyName]?.trim() ?? "";
  return {
    plan: {
      api,
      ...access,
      nonce: ports.digest(`gateway of ${run.id} ${run.token} ${ports.clock.newId("run")}`).slice(0, 40),
      limitUsd: runSettings.maxBudgetUsd,
      limitTokens: settings.budget.runTokens,
      prices: ports.agents.prices,
    },
    keys: { [access.keyName]: key },
  };
}
