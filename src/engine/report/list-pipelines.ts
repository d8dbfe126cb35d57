import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { ConfigError, type Issue } from "../../core/text/errors.ts";
import type { ProjectFiles } from "../../ports/projects.ts";
import type { Project } from "../../ports/store.ts";
import { limitsOf } from "../advance-params.ts";

export interface ListedPipeline {
  readonly pipeline: Pipeline;
  /** The project whose file it is. Null for a built-in pipeline. */
  readonly project: string | null;
  /** Limits that the project's settings replace. */
  readonly limits: Readonly<Record<string, number>>;
}

export interface PipelineList {
  readonly pipelines: readonly ListedPipeline[];
  readonly problems: readonly (Issue & { readonly project: string })[];
}

interface PipelineListPorts {
  readonly projects: Pick<ProjectFiles, "builtInPipelines" | "ownPipelines" | "lastGood">;
}

/** With one project, the pipelines that its tasks can use. With several, the built-in ones and each project's own. */
export async function listPipelines(ports: PipelineListPorts, projects: readonly Project[]): Promise<PipelineList> {
  const own = await Promise.all(projects.map((project) => listOwn(ports, project)));
  const [only] = projects.length === 1 ? own : [];
  const replaced = new Set(only?.pipelines.map(({ pipeline }) => pipeline.name));
  const builtIn = (await ports.projects.builtInPipelines())
    .filter(({ name }) => !replaced.has(name))
    .map((pipeline) => ({ pipeline, project: null, limits: only?.limits ?? {} }));
  return {
    pipelines: [...builtIn, ...own.flatMap(({ pipelines }) => pipelines)],
    problems: own.flatMap(({ problems }) => problems),
  };
}

async function listOwn(
  { projects }: PipelineListPorts,
  project: Project,
): Promise<PipelineList & Pick<ListedPipeline, "limits">> {
  // The limits of the pipeline files apply if the project's settings were never valid.
  const limits = await projects.lastGood(project).then(limitsOf, () => ({}));
  try {
    const { pipelines, problems } = await projects.ownPipelines(project);
    return {
      limits,
      pipelines: pipelines.map((pipeline) => ({ pipeline, project: project.name, limits })),
      problems: problems.map((issue) => ({ ...issue, project: project.name })),
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { limits, pipelines: [], problems: error.issues.map((issue) => ({ ...issue, project: project.name })) };
  }
}
