import { CHANGING_ROLES, type Role } from "../../../core/task/role.ts";
import type { ProjectSource } from "../../../ports/workspace.ts";
import { outcomeOf, StepEnd, type StepContext, type Work } from "../step-context.ts";
import { transact } from "../../transact.ts";
import { branchName, slugOf } from "../../../core/task/branch-name.ts";
import type { GitCredentials } from "../../../ports/forge.ts";
import { readNightResults } from "../../nightly/night-results.ts";

/**
 * Returns the commits that a step starts from: the newest base with the task's work on top. Decided once per run and
 * stored, so that a run that continues after a crash starts from the same commits.
 */
export async function prepareWork(context: StepContext): Promise<Work> {
  const { task, run, settings } = context;
  const known = knownWork(context);
  if (known !== null && (run.token > 1 || !settings.workspace.rebase || mustStayAsChecked(context))) return known;
  const work = await updateWork(context, known);
  if (work.baseCommit !== task.baseCommit || work.headCommit !== task.headCommit) await storeWork(context, work);
  return work;
}

/**
 * With `rebase: until_checked`, agents that only look at the checked commit see exactly that commit. A reviewer always does,
 * because its verdict counts for the commit that was checked and published.
 */
function mustStayAsChecked({ pipeline, run: { step, role } }: StepContext): boolean {
  if (role === "review") return true;
  const keepsChecked = pipeline.policy.rebase === "until_checked";
  return keepsChecked && step === "agent" && role !== null && !REBASED_ROLES.includes(role);
}

const REBASED_ROLES: readonly Role[] = ["analyze", ...CHANGING_ROLES];

async function updateWork(context: StepContext, known: Work | null): Promise<Work> {
  const { ports, project, task, run } = context;
  const base = await ports.workspaces.sync(sourceOf(context));
  ports.hooks.passCheckpoint("workspace.synced");
  if (known === null || known.headCommit === known.baseCommit)
    return { baseCommit: base.commit, headCommit: base.commit };
  if (known.baseCommit === base.commit) return known;
  const headCommit = await ports.workspaces.rebase({
    project: project.name,
    task: task.id,
    commit: known.headCommit,
    oldBase: known.baseCommit,
    newBase: base.commit,
    at: run.createdAt,
  });
  if (headCommit === null)
    throw new StepEnd(
      outcomeOf("conflict", `the task's work conflicts with new commits on ${base.branch}`, {
        base: base.commit,
      }),
    );
  return { baseCommit: base.commit, headCommit };
}

/** `HEAD`: the project was registered by its URL only, so the remote decides which branch is the default. */
export function sourceOf({
  ports,
  project,
  settings,
}: Pick<StepContext, "ports" | "project" | "settings">): ProjectSource {
  return {
    project: project.name,
    remote: project.remote,
    credentials: ports.forges.open(project, settings)?.credentialsFor(project.remote) ?? null,
    defaultBranch: settings.defaultBranch ?? (project.defaultBranch === "HEAD" ? null : project.defaultBranch),
  };
}

/** Name of the branch that the change is to be merged into. */
export async function targetBranch(context: StepContext): Promise<string> {
  const source = sourceOf(context);
  return source.defaultBranch ?? (await context.ports.workspaces.sync(source)).branch;
}

async function storeWork({ ports, run, lease }: StepContext, work: Work): Promise<void> {
  await transact(ports, run.task, lease, (task) => ({
    advance: { task: { ...task, ...work }, events: [], next: null },
  }));
}

/** A state with `workspace: fresh` ignores the work of earlier runs, which therefore cannot conflict with a new base. */
function knownWork({ task: { baseCommit, headCommit }, state }: StepContext): Work | null {
  if (baseCommit === null || headCommit === null) return null;
  return { baseCommit, headCommit: state.workspace === "fresh" ? baseCommit : headCommit };
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
