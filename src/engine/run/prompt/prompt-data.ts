import type { PromptData } from "../../../core/prompt/prompt-context.ts";
import type { Role } from "../../../core/task/role.ts";
import { describeCheck } from "../../../core/task/describe-check.ts";
import { nightPromptData } from "../../nightly/night-data.ts";
import type { StepContext, Work } from "../step-context.ts";

const MAX_DIFF_BYTES = 200_000;
const ROLES_WITH_DIFF: readonly Role[] = ["review", "verify", "describe"];
const ROLES_WITH_CHECKS: readonly Role[] = ["verify", "describe"];

/** Data for the prompt beyond the task itself: the current state, not how it came about. */
export async function loadPromptData(context: StepContext, role: Role, work: Work): Promise<PromptData> {
  // The agent that has the forge's token must not read what other agents wrote, except for the title.
  if (role === "publish") return {};
  const { policy } = context.pipeline;
  return {
    ...(ROLES_WITH_DIFF.includes(role) && (await loadDiff(context, work))),
    ...(ROLES_WITH_CHECKS.includes(role) && (await loadChecks(context))),
    ...(policy.context === "analysis" && (await nightPromptData(context, role, work))),
  };
}

async function loadDiff({ ports, task, project }: StepContext, work: Work): Promise<PromptData> {
  if (work.baseCommit === work.headCommit) return {};
  const range = { from: work.baseCommit, to: work.headCommit, maxBytes: MAX_DIFF_BYTES };
  const diff = await ports.workspaces.diff({ project: project.name, task: task.id, ...range });
  const patch = ports.secrets.redact(diff.patch);
  return { diff: diff.cut ? `${patch}\n[the rest of the diff is omitted: read the files]` : patch };
}

/** As recorded by the engine; the agent that made the change cannot influence them. */
async function loadChecks({ ports, task }: StepContext): Promise<PromptData> {
  const checks = await ports.store.tasks.listChecks(task.id);
  const newest = checks.filter(({ run }) => run === checks.at(-1)?.run);
  return { checks: newest.map(describeCheck).join("\n\n") };
}
