import { buildContext, type PromptData } from "../../../core/prompt/prompt-context.ts";
import type { Role } from "../../../core/task/role.ts";
import type { Task } from "../../../core/task/task.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import { loadPromptData } from "./prompt-data.ts";
import { promptValues } from "./prompt-values.ts";
import { grantFor } from "../prepare/sandbox-policy.ts";
import type { StepContext, Work } from "../step-context.ts";

export interface PromptParams {
  readonly role: Role;
  readonly paths: RunPaths;
  readonly work: Work;
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
    values: await promptValues(ports, {
      project,
      settings,
      pipeline,
      task,
      baseCommit: work.baseCommit,
      commands: grantFor(context, role).commands,
      at: run.createdAt,
    }),
    data: { ...(await loadPromptData(context, role, work)), ...params.data },
    variables: settings.improve.variables,
    plan: pipeline.plan,
    outcomeFile: paths.outcomeFile,
    hasTool,
    isResumed,
    nonce: ports.digest(`${run.id} ${run.token} ${ports.clock.newId("run")}`).slice(0, 16),
  });
  await ports.runFiles.writePrompt(run.id, text);
}

/** With `context: analysis`, agents see only the analysis, the change and the checks, not the summaries of earlier runs. */
function visibleTask({ task, run, pipeline }: StepContext): Task {
  const isHidden = pipeline.policy.context === "analysis";
  return { ...task, trigger: run.trigger, ...(isHidden && { context: [] }) };
}
