import type { Pipeline, State, Target } from "../../../core/pipeline/pipeline.ts";
import { CHANGING_ROLES, type Role } from "../../../core/task/role.ts";
import type { Run } from "../../../core/task/run.ts";
import { grantAccess } from "../../../policy/access/grant.ts";
import type { StepContext } from "../step-context.ts";

const NOTHING_ALLOWED = { write: [], read: [], network: [], commands: null } as const;

/**
 * Finds the newest tree of a task that is unchanged since its checkout because a sandboxed agent could only read it.
 * Returns the id of its run, or null if there is none.
 */
export function findUntouchedTree(runs: readonly Run[]): string | null {
  return runs.findLast(couldOnlyRead)?.id ?? null;
}

function couldOnlyRead({ role, sandbox, finishedAt }: Run): boolean {
  return role !== null && sandbox === "enforce" && finishedAt !== null && isReader(role);
}

function isReader(role: Role): boolean {
  // Its write access depends on the plan.
  if (role === "execute") return false;
  const { workspace, inWorkspace } = grantAccess(role, NOTHING_ALLOWED);
  return workspace === "read" && inWorkspace.length === 0;
}

/** The tree that was prepared for the checks while the newest agent worked. It may not exist. */
export function findPreparedTree(runs: readonly Run[]): string | null {
  const agent = runs.findLast(({ step, finishedAt }) => step === "agent" && finishedAt !== null);
  return agent?.sandbox === "enforce" ? preparedTreeOf(agent.id) : null;
}

const PREPARED = ".prepared";

function preparedTreeOf(run: string): string {
  return `${run}${PREPARED}`;
}

export function isPreparedTree(name: string): boolean {
  return name.endsWith(PREPARED);
}

/**
 * Writes the tree for the checks while the agent works, so that afterwards only the files that it changed are written. Only
 * with the sandbox, because elsewhere an agent could find the tree and change it. Best effort: the checks write the whole
 * tree themselves if it is missing.
 */
export async function prepareCheckTree(context: StepContext, role: Role, commit: string): Promise<void> {
  const { ports, project, task, run, settings } = context;
  const hasChecks = settings.checks.some(({ roles }) => roles.includes(role));
  if (!hasChecks || settings.sandbox.mode !== "enforce" || !leadsToChecks(context.pipeline, context.state, role))
    return;
  try {
    await ports.workspaces.prepare({ project: project.name, task: task.id, name: preparedTreeOf(run.id), commit });
  } catch (error) {
    ports.log.warn("the tree for the checks could not be prepared", { run: run.id, error: String(error) });
  }
}

function leadsToChecks(pipeline: Pipeline, state: State, role: Role): boolean {
  if (!CHANGING_ROLES.includes(role)) return false;
  const isChecks = ({ to }: Target): boolean => to !== null && pipeline.states[to]?.step.kind === "checks";
  return Object.values(state.on).some((targets) => targets.some(isChecks));
}
