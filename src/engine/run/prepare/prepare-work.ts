import { CHANGING_ROLES, type Role } from "../../../core/task/role.ts";
import type { ProjectSource } from "../../../ports/workspace.ts";
import { outcomeOf, StepEnd, type StepContext, type Work } from "../step-context.ts";
import { transact } from "../../transact.ts";

/**
 * Where a step starts from: the newest base, with the task's work on top of it. Decided once per run and written down,
 * so that a run which is taken up again after a crash does not find the ground moved.
 */
export async function prepareWork(context: StepContext): Promise<Work> {
  const { task, run, settings } = context;
  const known = knownWork(context);
  if (known !== null && (run.token > 1 || !settings.workspace.rebase || isSettled(context))) return known;
  const work = await newestWork(context, known);
  if (work.baseCommit !== task.baseCommit || work.headCommit !== task.headCommit) await keepWork(context, work);
  return work;
}

/** With `rebase: until_checked`, agents that only look at the checked commit see exactly that commit. */
function isSettled({ pipeline, run: { step, role } }: StepContext): boolean {
  const staysAsChecked = pipeline.policy.rebase === "until_checked";
  return staysAsChecked && step === "agent" && role !== null && !MOVING_ROLES.includes(role);
}

const MOVING_ROLES: readonly Role[] = ["analyze", ...CHANGING_ROLES];

async function newestWork(context: StepContext, known: Work | null): Promise<Work> {
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
      outcomeOf("conflict", `the task's work conflicts with what is new on ${base.branch} since it began`, {
        base: base.commit,
      }),
    );
  return { baseCommit: base.commit, headCommit };
}

/** A project that was registered by its address alone has the default branch that its remote names. */
function sourceOf({ ports, project, settings }: StepContext): ProjectSource {
  return {
    project: project.name,
    remote: project.remote,
    credentials: ports.forges.open(project, settings)?.credentialsFor(project.remote) ?? null,
    defaultBranch: settings.defaultBranch ?? (project.defaultBranch === "HEAD" ? null : project.defaultBranch),
  };
}

/** The branch that the work is made for, by its name. */
export async function targetBranch(context: StepContext): Promise<string> {
  const source = sourceOf(context);
  return source.defaultBranch ?? (await context.ports.workspaces.sync(source)).branch;
}

async function keepWork({ ports, run, lease }: StepContext, work: Work): Promise<void> {
  await transact(ports, run.task, lease, (task) => ({
    advance: { task: { ...task, ...work }, events: [], next: null },
  }));
}

/** A state with `workspace: fresh` sees nothing of what earlier runs did: it cannot be in the way of what is new either. */
function knownWork({ task: { baseCommit, headCommit }, state }: StepContext): Work | null {
  if (baseCommit === null || headCommit === null) return null;
  return { baseCommit, headCommit: state.workspace === "fresh" ? baseCommit : headCommit };
}
