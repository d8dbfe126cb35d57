import { branchName, slugOf } from "../../../core/task/branch-name.ts";
import type { GitCredentials } from "../../../ports/forge.ts";
import { readNightResults } from "../../nightly/night-results.ts";
import { StepEnd, type StepContext } from "../step-context.ts";
import { transact } from "../../transact.ts";

const MOST_TRIED = 50;

/** The task's branch, chosen once and written down before anything is pushed: a later try must find the same. */
export async function chooseBranch(context: StepContext, credentials: GitCredentials | null): Promise<string> {
  const { ports, task, lease, run } = context;
  if (task.branch !== null) return task.branch;
  const branch = await freeBranch(context, credentials);
  await transact(ports, run.task, lease, (current) => ({
    advance: { task: { ...current, branch }, events: [], next: null },
  }));
  return branch;
}

/** `night-shift/<slug>`, and `-2`, `-3` … where the remote has that already. */
async function freeBranch(context: StepContext, credentials: GitCredentials | null): Promise<string> {
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
  for (let number = 1; number <= MOST_TRIED; number += 1) {
    const branch = number === 1 ? name : `${name}-${number}`;
    // Git keeps a branch `a/b` in the place where `a` would stand.
    if (!taken.some((other) => other === branch || other.startsWith(`${branch}/`))) return branch;
  }
  throw new StepEnd("agent_error", `the remote has ${name} and ${MOST_TRIED - 1} others of that name: remove some`);
}
