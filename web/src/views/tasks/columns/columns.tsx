import { ErrorBanner, Skeleton } from "../../../ui/state.tsx";
import type { TaskFilter } from "../filter.ts";
import { usePipelines } from "../use-pipelines.ts";
import { columnsByState, columnsByStatus } from "./columns-of.ts";
import { ColumnsView } from "./columns-view.tsx";

/** Columns by status, or by the states of the pipeline in the filter. */
export function Columns({ filter }: { filter: TaskFilter }) {
  const { pipelines, error, retry } = usePipelines(filter.project);
  if (filter.pipeline === null) return <ColumnsView columns={columnsByStatus(filter.status)} filter={filter} />;
  const pipeline = pipelines?.find(({ name }) => name === filter.pipeline);
  if (pipeline !== undefined)
    return <ColumnsView key={pipeline.name} columns={columnsByState(pipeline)} filter={filter} />;
  if (error !== null)
    return (
      <div className="flush-pad">
        <ErrorBanner title="The pipelines could not be read." error={error} retry={retry} />
      </div>
    );
  // Without the file of the pipeline, the states are not known, but the tasks are.
  if (pipelines !== null) return <ColumnsView columns={columnsByStatus(filter.status)} filter={filter} />;
  return <Skeleton rows={8} />;
}
