import type { Pipeline } from "../core/pipeline/pipeline.ts";
import type { Task } from "../core/task/task.ts";
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
