import { branchName, slugOf } from "../../../core/task/branch-name.ts";
import type { GitCredentials } from "../../../ports/forge.ts";
import { readNightResults } from "../../nightly/night-results.ts";
import { StepEnd, type StepContext } from "../step-context.ts";
import { transact } from "../../transact.ts";

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
