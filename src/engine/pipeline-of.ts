import type { Pipeline } from "../core/pipeline/pipeline.ts";
import { walksList } from "../core/pipeline/items.ts";
import { UserError } from "../core/text/errors.ts";
import type { Task } from "../core/task/task.ts";
import { defaultPolicy, type PipelinePolicy } from "../core/pipeline/pipeline-policy.ts";
import type { ProjectFiles } from "../ports/projects.ts";
import type { StoreReader } from "../ports/store-mutations.ts";

export interface PipelinePorts {
  readonly store: Pick<StoreReader, "projects">;
  readonly projects: Pick<ProjectFiles, "parsePipeline">;
}

/** The version of the pipeline that the task started with, even if the files changed since. */
export async function pipelineOf(
  ports: PipelinePorts,
  task: Pick<Task, "pipeline" | "pipelineHash">,
): Promise<Pipeline> {
  const stored = await ports.store.projects.getPipeline(task.pipelineHash);
  if (stored === null) throw new Error(`the text of pipeline ${task.pipeline} (${task.pipelineHash}) is missing`);
  return ports.projects.parsePipeline(stored.name, stored.text);
}

/** For work that must not fail if the pipeline can no longer be parsed. The policy then depends only on the task's list. */
export async function policyOf(
  ports: PipelinePorts,
  task: Pick<Task, "pipeline" | "pipelineHash" | "items">,
): Promise<PipelinePolicy> {
  try {
    return (await pipelineOf(ports, task)).policy;
  } catch (error) {
    if (error instanceof UserError && error.kind === "unavailable") throw error;
    return defaultPolicy(walksList(task));
  }
}
