import { UserError } from "../../core/text/errors.ts";
import type { Actor } from "../../core/task/event.ts";
import { grantAccess } from "../../policy/access/grant.ts";
import { maxLinesOf } from "../../core/pipeline/pipeline-policy.ts";
import type { Pipeline, State } from "../../core/pipeline/pipeline.ts";
import { buildContext } from "../../core/prompt/prompt-context.ts";
import { resolveRun } from "../../core/settings/resolve-run.ts";
import type { Role } from "../../core/task/role.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import type { EnginePorts } from "../ports.ts";
import { promptValues } from "../run/prompt/write-prompt.ts";
import { draftTask, type DraftedTask } from "./submit.ts";
import { explainNoEligibleFiles, findEligibleFiles, type EligibleFiles } from "../nightly/eligible-files.ts";
import { agentPublishes } from "../nightly/night-over.ts";
import { sourceOf } from "../run/prepare/source-of.ts";
import { DEFAULT_RECENT_COMMITS } from "../../core/nightly/recent-commits.ts";

/** What a task would do if it were submitted. */
export interface TaskPreview {
  readonly project: string;
  readonly pipeline: string;
  /** In the order in which they are tried. Empty if nothing is scheduled. */
  readonly categories: readonly string[];
  readonly runs: readonly RunPreview[];
  readonly checks: readonly { readonly name: string; readonly command: string }[];
  readonly limits: {
    readonly maxDiffLines: number;
    /** Null: the default, but the history is unknown because the remote could not be read. */
    readonly avoidRecentCommits: number | null;
    readonly openChangeRequests: number;
    readonly retries: number;
    readonly taskTimeoutMs: number;
  };
  /** The files that the change may touch. Null if the remote could not be read. */
  readonly files: { readonly all: number; readonly eligible: number; readonly problem: string | null } | null;
  readonly budget: Settings["budget"];
  readonly publish: {
    readonly forge: string | null;
    readonly target: string;
    readonly reviewer: string | null;
    readonly by: "engine" | "agent";
  };
}

export interface RunPreview {
  readonly role: Role;
  readonly agent: string;
  readonly model: string | null;
  readonly timeoutMs: number;
  readonly maxTurns: number | null;
  readonly maxBudgetUsd: number | null;
  readonly tools: readonly string[];
  /** Null: every program on the machine. */
  readonly commands: readonly string[] | null;
  readonly workspace: "read" | "write";
  readonly executes: boolean;
  readonly network: readonly string[];
  readonly secrets: readonly string[];
  /** Without the parts that only earlier runs can fill in. */
  readonly prompt: string;
}

const RETRIES = 2;

export async function previewTask(ports: EnginePorts, draft: TaskDraft, actor: Actor): Promise<TaskPreview> {
  const { project, settings, pipeline, task } = await draftTask(ports, draft, actor);
  const by = agentPublishes({ pipeline, settings }) ? "agent" : "engine";
  const files = await previewFiles(ports, { project, settings, pipeline });
  const recentCommits = files?.recentCommits ?? settings.improve.avoidRecentCommits;
  const runs = await Promise.all(
    agentStates(pipeline, by).map(({ state, role }) =>
      previewRun(ports, { project, settings, pipeline, state, role, task, recentCommits }),
    ),
  );
  return {
    project: project.name,
    pipeline: pipeline.name,
    categories: task.items?.list ?? [],
    runs,
    checks: settings.checks.map(({ name, command }) => ({ name, command })),
    limits: {
      maxDiffLines: maxLinesOf(pipeline.policy.change, settings.improve) ?? settings.improve.maxDiffLines,
      avoidRecentCommits: recentCommits,
      openChangeRequests: settings.limits.openChangeRequests,
      retries: RETRIES,
      taskTimeoutMs: settings.limits.taskTimeoutMs,
    },
    files: files === null ? null : toFilesPreview(files),
    budget: settings.budget,
    publish: {
      forge: settings.forge === null ? null : (settings.forge.url ?? settings.forge.kind),
      target: settings.defaultBranch ?? project.defaultBranch,
      reviewer: settings.forge?.reviewer ?? null,
      by,
    },
  };
}

function toFilesPreview(files: EligibleFiles): TaskPreview["files"] {
  const problem = files.eligible > 0 ? null : explainNoEligibleFiles(files);
  return { all: files.all.length, eligible: files.eligible, problem };
}

/** Updates the mirror to count the files. Null if the remote cannot be read, which a preview need not fail for. */
export async function previewFiles(
  ports: EnginePorts,
  { project, settings, pipeline }: Pick<DraftedTask, "project" | "settings" | "pipeline">,
): Promise<EligibleFiles | null> {
  try {
    const { commit } = await ports.workspaces.sync(sourceOf({ ports, project, settings }));
    return await findEligibleFiles(ports, { project, settings, pipeline, base: commit });
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** The first state of each role. */
function agentStates(pipeline: Pipeline, publisher: "engine" | "agent"): readonly { state: State; role: Role }[] {
  const seen = new Set<Role>();
  return Object.values(pipeline.states).flatMap((state) => {
    const role = roleIn(state, publisher);
    if (role === null || seen.has(role)) return [];
    seen.add(role);
    return [{ state, role }];
  });
}

function roleIn({ step }: State, publisher: "engine" | "agent"): Role | null {
  if (step.kind === "agent") return step.role;
  return step.kind === "publish" && publisher === "agent" ? "publish" : null;
}

type PreviewParams = Pick<DraftedTask, "project" | "settings" | "pipeline" | "task"> & {
  readonly state: State;
  readonly role: Role;
  readonly recentCommits: number | null;
};

async function previewRun(ports: EnginePorts, params: PreviewParams): Promise<RunPreview> {
  const { settings, state, role, task } = params;
  const resolved = resolveRun(settings, state.agent, task.options, role);
  const commands = state.agent.commands ?? settings.roles[role].commands;
  const access = grantAccess(role, settings.sandbox, { commands, plan: null });
  return {
    role,
    agent: resolved.agent,
    model: resolved.model,
    timeoutMs: resolved.timeoutMs,
    maxTurns: resolved.maxTurns,
    maxBudgetUsd: resolved.maxBudgetUsd,
    tools: resolved.tools,
    commands: access.commands,
    workspace: access.workspace,
    executes: access.executes,
    network: [...access.network, ...(role === "publish" ? forgeHosts(ports, params) : [])],
    secrets: [
      ...Object.entries(settings.secrets).flatMap(([name, { roles }]) => (roles.includes(role) ? [name] : [])),
      ...(role === "publish" && settings.forge?.tokenEnv != null ? [settings.forge.tokenEnv] : []),
    ],
    prompt: await previewPrompt(ports, params, {
      role,
      commands: access.commands,
      hasTool: ports.agents.create(resolved.agentSettings).capabilities.mcp,
    }),
  };
}

/** Empty if the forge cannot be used. `doctor` reports the reason. */
function forgeHosts(ports: EnginePorts, { project, settings }: PreviewParams): readonly string[] {
  try {
    return ports.forges.open(project, settings)?.issueCredentials().network ?? [];
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

async function previewPrompt(
  ports: EnginePorts,
  { project, settings, pipeline, task, recentCommits }: PreviewParams,
  { role, commands, hasTool }: Pick<RunPreview, "role" | "commands"> & { readonly hasTool: boolean },
): Promise<string> {
  return buildContext({
    preamble: await ports.projects.preamble(),
    template: await ports.projects.prompt(project, role),
    append: settings.roles[role].append,
    instructions: settings.instructions,
    role,
    task,
    artifacts: [],
    values: await promptValues(ports, {
      project,
      settings,
      pipeline,
      task,
      headCommit: null,
      baseCommit: null,
      recentCommits: recentCommits ?? DEFAULT_RECENT_COMMITS,
      commands,
      at: task.createdAt,
    }),
    data: {},
    variables: settings.improve.variables,
    plan: pipeline.plan,
    outcomeFile: "(the run's own)/outcome.json",
    hasTool,
    isResumed: false,
    maxTokens: settings.roles[role].contextTokens,
    nonce: "drawnForEachRun0",
  });
}
