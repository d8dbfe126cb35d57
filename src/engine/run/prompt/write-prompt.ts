import { buildContext, type PromptData } from "../../../core/prompt/prompt-context.ts";
import type { Role } from "../../../core/task/role.ts";
import type { Task } from "../../../core/task/task.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import { gatherData } from "./prompt-data.ts";
import { promptValues } from "./prompt-values.ts";
import { grantFor } from "../prepare/sandbox-policy.ts";
import type { StepContext, Work } from "../step-context.ts";

export interface PromptParams {
  readonly role: Role;
  readonly paths: RunPaths;
  readonly work: Work;
  /** The agent goes on in a session that knows all but the newest. */
  readonly isResumed: boolean;
  /** It has the tool `report_outcome`. */
  readonly hasTool: boolean;
  /** What this run must know beyond its role and task. */
  readonly data: PromptData;
}

/** Everything the agent is told, in one file: the supervisor feeds it to the agent, people can read it afterwards. */
export async function writePrompt(context: StepContext, params: PromptParams): Promise<void> {
  const { role, paths, work, isResumed, hasTool } = params;
  const { ports, task, run, project, settings, pipeline } = context;
  const text = buildContext({
    preamble: await ports.projects.preamble(),
    template: await ports.projects.prompt(project, role),
    append: settings.roles[role].append,
    instructions: settings.instructions,
    role,
    task: shownTask(context),
    artifacts: await ports.store.tasks.listArtifacts(task.id),
    values: await promptValues(ports, {
      project,
      settings,
      pipeline,
      task,
      baseCommit: work.baseCommit,
      commands: grantFor(context, role).commands,
      at: run.createdAt,
    }),
    data: { ...(await gatherData(context, role, work)), ...params.data },
    variables: settings.improve.variables,
    plan: pipeline.plan,
    outcomeFile: paths.outcomeFile,
    hasTool,
    isResumed,
    nonce: ports.digest(`${run.id} ${run.token} ${ports.clock.newId("run")}`).slice(0, 16),
  });
  await ports.runFiles.writePrompt(run.id, text);
}

/** With `context: analysis` agents know each other only by the analysis, the change and the checks. */
function shownTask({ task, run, pipeline }: StepContext): Task {
  const isHidden = pipeline.policy.context === "analysis";
  return { ...task, trigger: run.trigger, ...(isHidden && { context: [] }) };
}
