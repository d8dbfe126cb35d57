import { edgesFrom } from "../../core/pipeline/pipeline-graph.ts";
import type { Pipeline, State } from "../../core/pipeline/pipeline.ts";
import { ownNumber } from "../../core/pipeline/counters.ts";
import type { Task } from "../../core/task/task.ts";
import type { TaskPipeline } from "../../engine/report/read-task-pipeline.ts";
import type { PipelineJson, TaskPipelineJson } from "../contract/pipeline.ts";

/** Settings of a project that replace limits of the pipeline, by their names. */
type Limits = Readonly<Record<string, number>>;

export function viewPipeline(
  { name, start, states }: Pipeline,
  { project, limits = {} }: { readonly project: string | null; readonly limits?: Limits },
): PipelineJson {
  return { name, project, start, states: Object.values(states).map((state) => viewState(state, limits)) };
}

/** With how much of each limit the task has used. */
export function viewTaskPipeline(
  task: Pick<Task, "project" | "counters">,
  { pipeline, limits }: TaskPipeline,
): TaskPipelineJson {
  const view = viewPipeline(pipeline, { project: task.project, limits });
  const known = new Map(
    view.states.flatMap(({ on }) =>
      on.flatMap(({ limit }) => (limit === null ? [] : [[limit.name, limit.max] as const])),
    ),
  );
  return {
    ...view,
    limits: [...known].map(([name, max]) => ({ name, max, used: ownNumber(task.counters, name) ?? 0 })),
  };
}

function viewState(state: State, limits: Limits): PipelineJson["states"][number] {
  const { name, step } = state;
  return {
    name,
    kind: step.kind,
    role: step.kind === "agent" ? step.role : null,
    waits_for: step.kind === "wait" ? step.for : null,
    end: step.kind === "end" ? step.status : null,
    on: edgesFrom(state).map(({ outcome, to, target, after }) => ({
      outcome,
      to,
      limit: viewLimit(target?.limit ?? null, limits),
      otherwise: after !== null,
    })),
  };
}

function viewLimit(limit: { readonly name: string; readonly max: number } | null, limits: Limits) {
  if (limit === null) return null;
  const { name, max } = limit;
  return { name, max: Object.hasOwn(limits, name) ? (limits[name] ?? max) : max };
}
