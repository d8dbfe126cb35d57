import { buildContext, type PromptData, type PromptValues } from "../../../core/prompt/prompt-context.ts";
import type { Role } from "../../../core/task/role.ts";
import type { Task } from "../../../core/task/task.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import { describeForgeComments } from "../../../core/forge/describe-feedback.ts";
import { requireForge } from "../prepare/fetch-request.ts";
import { grantFor } from "../prepare/sandbox-policy.ts";
import type { StepContext, Work } from "../step-context.ts";
import { currentCategory } from "../../../core/nightly/category.ts";
import { isInPlace } from "../../../core/task/in-place.ts";
import { isAddress } from "../../../core/forge/forge-address.ts";
import { withoutCredentials } from "../../../core/text/without-credentials.ts";
import { maxLinesOf } from "../../../core/pipeline/pipeline-policy.ts";
import type { Pipeline } from "../../../core/pipeline/pipeline.ts";
import type { Settings } from "../../../core/settings/settings.ts";
import type { Project } from "../../../ports/store.ts";
import type { EnginePorts } from "../../ports.ts";
import { newestOf } from "../../../core/task/documents/document.ts";
import { renderDocument } from "../../../core/task/documents/render-document.ts";
import { describePriorReviews } from "../../../core/task/documents/review.ts";
import { describeCheck } from "../../../core/task/checks/describe-check.ts";
import { countRecentCommits } from "../../nightly/eligible-files.ts";
import { describeDirectory } from "../../../core/prompt/describe-directory.ts";
import { describeGrants } from "../plan/describe-grants.ts";
import { loadRelatedTask } from "./load-related-task.ts";
import { describeCandidates } from "./load-variants.ts";
import { nightPromptData } from "../../nightly/night-policy.ts";

export interface PromptParams {
  readonly role: Role;
  readonly paths: RunPaths;
  /** Null for a task that works in place. */
  readonly work: Work | null;
  /** The agent continues a session, which already knows everything but the latest changes. */
  readonly isResumed: boolean;
  /** The agent has the tool `report_outcome`. */
  readonly hasTool: boolean;
  /** Additional data for this run. */
  readonly data: PromptData;
}

/** Writes the whole prompt to one file. The supervisor passes it to the agent, and people can read it afterwards. */
export async function writePrompt(context: StepContext, params: PromptParams): Promise<void> {
  const { role, paths, work, isResumed, hasTool } = params;
  const { ports, task, run, project, settings, pipeline } = context;
  const text = buildContext({
    preamble: await ports.projects.preamble(),
    template: await ports.projects.prompt(project, role),
    append: settings.roles[role].append,
    instructions: settings.instructions,
    role,
    task: visibleTask(context),
    artifacts: await ports.store.tasks.listArtifacts(task.id),
    values: {
      ...(await promptValues(ports, {
        project,
        settings,
        pipeline,
        task,
        baseCommit: work?.baseCommit ?? null,
        headCommit: work?.headCommit ?? null,
        recentCommits:
          work === null ? 0 : await countRecentCommits(ports, { project, settings, pipeline, base: work.baseCommit }),
        commands: grantFor(context, role).commands,
        at: run.createdAt,
      })),
      ...(task.options.request !== undefined && { defaultBranch: task.options.request.base }),
    },
    data: { ...(await loadPromptData(context, role, work)), ...params.data },
    variables: settings.improve.variables,
    plan: pipeline.plan,
    outcomeFile: paths.outcomeFile,
    hasTool,
    isResumed,
    maxTokens: settings.roles[role].contextTokens,
    nonce: ports.digest(`${run.id} ${run.token} ${ports.clock.newId("run")}`).slice(0, 16),
  });
  await ports.runFiles.writePrompt(run.id, text);
}

/** With `context: analysis`, agents see only the analysis, the change and the checks, not the summaries of earlier runs. */
function visibleTask({ task, run, pipeline }: StepContext): Task {
  const isHidden = pipeline.policy.context === "analysis";
  // What the variants were started for is not what the ranking is for.
  const trigger = run.role === "rank" ? null : run.trigger;
  return { ...task, trigger, ...(isHidden && { context: [] }) };
}

export interface ValuesParams {
  readonly project: Project;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly task: Pick<Task, "items">;
  readonly baseCommit: string | null;
  readonly headCommit: string | null;
  readonly recentCommits: number;
  readonly commands: readonly string[] | null;
  readonly at: number;
}

/** Values of the variables that a prompt template can use. */
export async function promptValues(ports: EnginePorts, params: ValuesParams): Promise<PromptValues> {
  const { project, settings, pipeline, task, baseCommit, headCommit, recentCommits, commands, at } = params;
  const { change } = pipeline.policy;
  return {
    project: project.name,
    defaultBranch: settings.defaultBranch ?? project.defaultBranch,
    baseCommit,
    headCommit,
    repoUrl: isAddress(project.remote) ? withoutCredentials(project.remote) : null,
    reviewer: settings.forge?.reviewer ?? null,
    commands,
    date: formatDate(settings.timeZone, at),
    category: await describeCategory(ports, task),
    limits: {
      maxDiffLines: maxLinesOf(change, settings.improve) ?? settings.improve.maxDiffLines,
      avoidRecentCommits: recentCommits,
      change,
    },
    provesFix: pipeline.policy.proof && settings.gates.proof !== "off",
  };
}

async function describeCategory(ports: EnginePorts, task: Pick<Task, "items">): Promise<PromptValues["category"]> {
  const current = currentCategory(task);
  return current === null ? null : { ...current, guidance: await ports.projects.guidance(current.name) };
}

function formatDate(timeZone: string, at: number): string {
  // en-CA formats as year-month-day. Formatters are cached because creating one takes ten times as long as a whole prompt.
  const formatter = formatters.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  formatters.set(timeZone, formatter);
  return formatter.format(at);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

const MAX_DIFF_BYTES = 200_000;
const PLANNING_ROLES: readonly Role[] = ["plan", "plan_revision"];
const ROLES_WITH_DIFF: readonly Role[] = ["review", "verify", "describe"];
const ROLES_WITH_CHECKS: readonly Role[] = ["verify", "describe", "review"];

/** Data for the prompt beyond the task itself: the current state, not how it came about. */
export async function loadPromptData(context: StepContext, role: Role, work: Work | null): Promise<PromptData> {
  // The agent that has the forge's token must not read what other agents wrote, except for the title.
  if (role === "publish") return {};
  const { policy } = context.pipeline;
  return {
    ...(work !== null && ROLES_WITH_DIFF.includes(role) && (await loadDiff(context, work))),
    ...(work !== null && ROLES_WITH_CHECKS.includes(role) && (await loadChecks(context, work))),
    ...(await loadDocuments(context)),
    ...(await loadOrigin(context)),
    ...(PLANNING_ROLES.includes(role) && (await describeGrants(context))),
    ...(PLANNING_ROLES.includes(role) && (await loadDirectory(context, work))),
    ...(role === "rank" &&
      (await describeCandidates(context.ports, context.task, context.settings.roles.rank.contextTokens))),
    ...(role === "review" && { prior_review: await loadPriorReviews(context) }),
    ...(work !== null && policy.context === "analysis" && (await nightPromptData(context, role, work))),
  };
}

/** So that a planner with two minutes need not list the directories itself. */
async function loadDirectory({ ports, task, project, pipeline }: StepContext, work: Work | null): Promise<PromptData> {
  if (pipeline.plan !== "execution") return {};
  if (work !== null) {
    const files = await ports.workspaces.listFileSizes({ project: project.name, base: work.baseCommit });
    return { directory: describeDirectory(files) };
  }
  const directory = isInPlace(task) && project.path !== null ? await ports.fileRecord.describe(project.path) : null;
  return directory === null ? {} : { directory };
}

/** Where the task comes from: an issue, or another task. */
async function loadOrigin({ ports, task: { options } }: StepContext): Promise<PromptData> {
  return {
    ...(options.issue !== undefined && { task_url: options.issue.url }),
    ...(options.request !== undefined && { task_url: options.request.url }),
    ...(options.related !== undefined && { related_task: await loadRelatedTask(ports, options.related) }),
  };
}

/** The plan is part of the task. The other documents of a variant are those of its task. */
async function loadDocuments({ ports, task }: StepContext): Promise<PromptData> {
  const owner = task.options.variantOf?.task ?? task.id;
  const render = async (kind: "design" | "report"): Promise<string> => {
    const document = newestOf(task.documents, kind) && (await ports.store.tasks.getDocument(owner, kind, null));
    return document === null ? "" : renderDocument(kind, document.content);
  };
  return { design: await render("design"), report: await render("report") };
}

async function loadDiff({ ports, task, project }: StepContext, work: Work): Promise<PromptData> {
  if (work.baseCommit === work.headCommit) return {};
  const range = { from: work.baseCommit, to: work.headCommit, maxBytes: MAX_DIFF_BYTES };
  const diff = await ports.workspaces.diff({ project: project.name, task: task.id, ...range });
  const patch = ports.secrets.redact(diff.patch);
  return { diff: diff.cut ? `${patch}\n[the rest of the diff is omitted: read the files]` : patch };
}

/** Our own reviews, and for a reviewed change request also what people wrote on it. */
async function loadPriorReviews(context: StepContext): Promise<string> {
  const { request } = context.task.options;
  const own = describePriorReviews(context.task);
  if (request === undefined) return own;
  const { comments } = await requireForge(context).read(request.number);
  const written = describeForgeComments(comments.slice(-MAX_FORGE_COMMENTS));
  return [own, written === "" ? "" : `Comments on the change request:\n\n${written}`]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The newest ones. */
const MAX_FORGE_COMMENTS = 50;

/** As recorded by the engine; the agent that made the change cannot influence them. */
async function loadChecks({ ports, task }: StepContext, work: Work): Promise<PromptData> {
  const checks = await ports.store.tasks.listChecks(task.id);
  const newest = checks.filter(({ run }) => run === checks.at(-1)?.run);
  // A retried review may be about a newer commit than the checks.
  const checked = task.options.request === undefined ? null : await ports.store.tasks.getRun(newest[0]?.run ?? "");
  if (checked !== null && checked.payload?.["commit"] !== work.headCommit) return {};
  return { checks: newest.map(describeCheck).join("\n\n") };
}
