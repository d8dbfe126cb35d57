import type { PipelineJson } from "../../../../src/http/contract/pipeline.ts";
import { useApi } from "../../api/queries.ts";

export interface Pipelines {
  /** Each name once. Null while loading. */
  readonly pipelines: readonly PipelineJson[] | null;
  readonly error: Error | null;
  retry(): void;
}

/** The pipelines that tasks of the project can have, or of all projects. */
export function usePipelines(project: string | null): Pipelines {
  const query = project === null ? {} : { query: { project } };
  const { data, error, refetch } = useApi("GET /pipelines", query, { live: false });
  const byName = new Map<string, PipelineJson>();
  // A project's own pipeline replaces the built-in one.
  for (const pipeline of data?.pipelines ?? [])
    if (pipeline.project !== null || !byName.has(pipeline.name)) byName.set(pipeline.name, pipeline);
  return {
    pipelines: data === undefined ? null : [...byName.values()],
    error,
    retry: () => void refetch(),
  };
}
