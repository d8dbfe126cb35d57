import type { PromptData } from "../../../core/prompt/prompt-context.ts";
import type { Role } from "../../../core/task/role.ts";
import { describeCheck } from "../../../core/task/describe-check.ts";
import { nightPromptData } from "../../nightly/night-data.ts";
import type { StepContext, Work } from "../step-context.ts";

const MAX_DIFF_BYTES = 200_000;
const READS_THE_CHANGE: readonly Role[] = ["review", "verify", "describe"];
const READS_THE_CHECKS: readonly Role[] = ["verify", "describe"];

/** What the run must know beyond the task itself. The agent is shown what stands, never how it came about. */
export async function gatherData(context: StepContext, role: Role, work: Work): Promise<PromptData> {
  // Whoever holds the forge's token is told nothing that another agent wrote, but for the title.
  if (role === "publish") return {};
  const { policy } = context.pipeline;
  return {
    ...(READS_THE_CHANGE.includes(role) && (await changeOf(context, work))),
    ...(READS_THE_CHECKS.includes(role) && (await checksOf(context))),
    ...(policy.context === "analysis" && (await nightPromptData(context, role, work))),
  };
}

async function changeOf({ ports, task, project }: StepContext, work: Work): Promise<PromptData> {
  if (work.baseCommit === work.headCommit) return {};
  const range = { from: work.baseCommit, to: work.headCommit, maxBytes: MAX_DIFF_BYTES };
  const diff = await ports.workspaces.diff({ project: project.name, task: task.id, ...range });
  const [patch, cut] = [ports.secrets.redact(diff.patch), diff.cut];
  return { diff: cut ? `${patch}\n[the rest is left out: read the files]` : patch };
}

/** As the engine saw them: whoever made the change has no say in it. */
async function checksOf({ ports, task }: StepContext): Promise<PromptData> {
  const checks = await ports.store.tasks.listChecks(task.id);
  const newest = checks.filter(({ run }) => run === checks.at(-1)?.run);
  return { checks: newest.map(describeCheck).join("\n\n") };
}
