import type { Pipeline } from "../core/pipeline/pipeline.ts";
import { walksList } from "../core/pipeline/items.ts";
import { UserError } from "../core/text/errors.ts";
import type { Task } from "../core/task/task.ts";
import { defaultPolicy, type PipelinePolicy } from "../core/pipeline/pipeline-policy.ts";
import type { EnginePorts } from "./ports.ts";

/** The version of the pipeline that the task started with, whatever the files say by now. */
export async function pipelineOf(
  ports: Pick<EnginePorts, "store" | "projects">,
  task: Pick<Task, "pipeline" | "pipelineHash">,
): Promise<Pipeline> {
  const kept = await ports.store.projects.getPipeline(task.pipelineHash);
  if (kept === null) throw new Error(`the text of pipeline ${task.pipeline} (${task.pipelineHash}) is gone`);
  return ports.projects.parsePipeline(kept.name, kept.text);
}

/** For what must happen to a task even if its pipeline cannot be read any more: it is then told by its list. */
export async function policyOf(
  ports: Pick<EnginePorts, "store" | "projects">,
  task: Pick<Task, "pipeline" | "pipelineHash" | "items">,
): Promise<PipelinePolicy> {
  try {
    return (await pipelineOf(ports, task)).policy;
  } catch (error) {
    if (error instanceof UserError && error.kind === "unavailable") throw error;
    return defaultPolicy(walksList(task));
  }
}
