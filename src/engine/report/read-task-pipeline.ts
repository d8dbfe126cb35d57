import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Task } from "../../core/task/task.ts";
import type { ProjectFiles } from "../../ports/projects.ts";
import type { StoreReader } from "../../ports/store-mutations.ts";
import { limitsOf } from "../advance-params.ts";
import { pipelineOf } from "../pipeline-of.ts";

export interface TaskPipeline {
  readonly pipeline: Pipeline;
  /** Limits that the project's settings replace. */
  readonly limits: Readonly<Record<string, number>>;
}

export interface TaskPipelinePorts {
  readonly store: Pick<StoreReader, "projects">;
  readonly projects: Pick<ProjectFiles, "parsePipeline" | "lastGood">;
}

/** The pipeline that a task started with, and its limits as they apply now. */
export async function readTaskPipeline(ports: TaskPipelinePorts, task: Task): Promise<TaskPipeline> {
  const pipeline = await pipelineOf(ports, task);
  const project = await ports.store.projects.getProject(task.project);
  if (project === null) return { pipeline, limits: {} };
  try {
    return { pipeline, limits: limitsOf(await ports.projects.lastGood(project)) };
  } catch {
    // The files of the project were never valid. The limits of the pipeline file are the best that is known.
    return { pipeline, limits: {} };
  }
}
