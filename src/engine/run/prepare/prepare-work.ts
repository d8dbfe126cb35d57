import { CHANGING_ROLES, type Role } from "../../../core/task/role.ts";
import { newEvent } from "../../../core/task/event.ts";
import { fetchRequest, keepDiff } from "./fetch-request.ts";
import { sourceOf } from "./source-of.ts";
import { moveWork, takeOverCommits } from "./take-over-commits.ts";
import { StepEnd, type StepContext, type Work } from "../step-context.ts";
import { transact } from "../../transact.ts";
import { branchName, slugOf } from "../../../core/task/branch-name.ts";
import type { ReviewedRequest } from "../../../core/task/task.ts";
import { shortHash } from "../../../core/text/short-hash.ts";
import type { GitCredentials } from "../../../ports/forge.ts";
import { readNightResults } from "../../nightly/night-results.ts";

/**
 * Returns the commits that a step starts from: the newest base with the task's work on top. Decided once per run and
 * stored, so that a run that continues after a crash starts from the same commits.
 */
export async function prepareWork(context: StepContext): Promise<Work> {
  const { task, run, settings } = context;
  const known = knownWork(context);
  if (task.options.request !== undefined) return prepareRequest(context, known, task.options.request);
  // A published branch may have new commits of people.
  const canStay = task.published == null && !settings.workspace.rebase;
  if (known !== null && (run.token > 1 || canStay || mustStayAsChecked(context))) return known;
  const { work, note } = await updateWork(context, known);
  if (work.baseCommit !== task.baseCommit || work.headCommit !== task.headCommit || note !== null)
    await storeWork(context, work, note);
  return work;
}

const NO_SANDBOX = "Its checks do not run, because they would run its code without the sandbox (sandbox.mode).";

/** The checks fetch the newest commit of the change request, and the reviewer sees what was checked. */
async function prepareRequest(context: StepContext, known: Work | null, request: ReviewedRequest): Promise<Work> {
  if (known !== null && (context.run.token > 1 || context.run.step === "agent")) return known;
  const fetched = await fetchRequest(context, request);
  const { commit, mergeBase } = fetched;
  await keepDiff(context, fetched);
  const work: Work = { baseCommit: mergeBase, headCommit: commit };
  const checks = context.settings.sandbox.mode === "enforce" ? "" : ` ${NO_SANDBOX}`;
  await storeWork(context, work, `reviews ${shortHash(commit)} of ${request.url}.${checks}`);
  return work;
}

/**
 * Agents that only look at a published commit, or with `rebase: until_checked` at a checked one, see exactly that commit. A
 * reviewer always does, because its verdict counts for the commit that was checked and published.
 */
function mustStayAsChecked({ pipeline, task, run: { step, role, trigger } }: StepContext): boolean {
  // A single run does not move the work of its task.
  if (role === "review" || trigger?.kind === "single") return true;
  const keepsChecked = pipeline.policy.rebase === "until_checked" || task.published != null;
  return keepsChecked && step === "agent" && role !== null && !REBASED_ROLES.includes(role);
}

const REBASED_ROLES: readonly Role[] = ["analyze", ...CHANGING_ROLES];

interface UpdatedWork {
  readonly work: Work;
  /** What people did to the branch, for the event log. */
  readonly note: string | null;
}

async function updateWork(context: StepContext, known: Work | null): Promise<UpdatedWork> {
  const { ports, settings } = context;
  const base = await ports.workspaces.sync(sourceOf(context));
  ports.hooks.passCheckpoint("workspace.synced");
  if (known === null || known.headCommit === known.baseCommit)
    return { work: { ...known, baseCommit: base.commit, headCommit: base.commit }, note: null };
  const { work, note, isMarked } = await takeOverCommits(context, known, base.commit);
  if (!settings.workspace.rebase || isMarked || work.baseCommit === base.commit) return { work, note };
  const summary = `the task's work conflicts with new commits on ${base.branch}`;
  const { commit } = await moveWork(context, { work, oldBase: work.baseCommit, newBase: base.commit, summary });
  return { work: { ...work, baseCommit: base.commit, headCommit: commit }, note };
}

/** Name of the branch that the change is to be merged into. */
export async function targetBranch(context: StepContext): Promise<string> {
  const source = sourceOf(context);
  return source.defaultBranch ?? (await context.ports.workspaces.sync(source)).branch;
}

async function storeWork({ ports, run, lease }: StepContext, work: Work, note: string | null): Promise<void> {
  const at = ports.clock.now();
  const events =
    note === null ? [] : [newEvent({ at, task: run.task, run: run.id, type: "run.note", summary: note, data: {} })];
  await transact(ports, run.task, lease, (task) => ({
    advance: { task: { ...task, ...work }, events, next: null },
  }));
}

/** A state with `workspace: fresh` ignores the work of earlier runs, which therefore cannot conflict with a new base. */
function knownWork({ task, state }: StepContext): Work | null {
  const { baseCommit, headCommit, published = null } = task;
  if (baseCommit === null || headCommit === null) return null;
  // Commits of people are part of the work, so it cannot start over without them.
  const startsOver = state.workspace === "fresh" && published?.people == null;
  return { baseCommit, headCommit: startsOver ? baseCommit : headCommit, published };
}

const MAX_BRANCHES = 50;

/** Chooses the task's branch once and stores it before anything is pushed, so that a retry uses the same one. */
export async function chooseBranch(context: StepContext, credentials: GitCredentials | null): Promise<string> {
  const { ports, task, lease, run } = context;
  if (task.branch !== null) return task.branch;
  const branch = await findFreeBranch(context, credentials);
  await transact(ports, run.task, lease, (current) => ({
    advance: { task: { ...current, branch }, events: [], next: null },
  }));
  return branch;
}

/** `night-shift/<slug>`, with `-2`, `-3` … appended if the remote already has that branch. */
async function findFreeBranch(context: StepContext, credentials: GitCredentials | null): Promise<string> {
  const { ports, project, settings, task, pipeline } = context;
  const template = pipeline.policy.branch;
  if (template === null) return branchName(settings.workspace.branch, task);
  const { analysis, description } = await readNightResults(context);
  const name = template.replace("{{slug}}", analysis?.slug ?? slugOf(description?.title ?? task.title));
  const taken = await ports.workspaces.listBranches({
    project: project.name,
    remote: project.remote,
    prefix: name,
    credentials,
  });
  for (let number = 1; number <= MAX_BRANCHES; number += 1) {
    const branch = number === 1 ? name : `${name}-${number}`;
    // Git cannot have both a branch `a` and a branch `a/b`.
    if (!taken.some((other) => other === branch || other.startsWith(`${branch}/`))) return branch;
  }
  throw new StepEnd("agent_error", `the remote has all branches ${name} to ${name}-${MAX_BRANCHES}; delete some`);
}
