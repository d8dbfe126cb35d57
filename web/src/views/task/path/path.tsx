import { ChevronRight } from "lucide-react";
import { Fragment, useMemo } from "react";
import { tracePath, type TracedPath, type TracedState } from "../../../../../src/core/pipeline/trace-path.ts";
import type { EventJson, TaskJson } from "../../../../../src/http/client/client.ts";
import type { TaskPipelineJson } from "../../../../../src/http/contract/pipeline.ts";
import { useApi } from "../../../api/queries.ts";
import { hasTaskEnded } from "../task-facts.ts";
import { PathDrawing } from "./path-drawing.tsx";

/** The path of the task through its pipeline. Shown only once everything about it is known. */
export function TaskPath({ task, events }: { task: TaskJson; events: readonly EventJson[] | undefined }) {
  const pipeline = useApi("GET /tasks/:id/pipeline", { params: { id: task.id } }).data;
  // Keeps its room while loading, so that nothing below it moves.
  if (pipeline === undefined || events === undefined) return <div className="path" style={{ minHeight: 44 }} />;
  return <KnownPath {...{ task, events, pipeline }} />;
}

interface KnownPathProps {
  readonly task: TaskJson;
  readonly events: readonly EventJson[];
  readonly pipeline: TaskPipelineJson;
}

function KnownPath({ task, events, pipeline }: KnownPathProps) {
  const { state, status } = task;
  const path = useMemo(
    () =>
      tracePath(pipeline, {
        transitions: listTransitions(events),
        current: state,
        hasEnded: hasTaskEnded({ status }),
      }),
    [pipeline, events, state, status],
  );
  return (
    <div className="path">
      <PathDrawing path={path} status={status} />
      <PathWords path={path} status={status} />
    </div>
  );
}

/** On phones, one line of words that wraps. */
function PathWords({ path, status }: { path: TracedPath; status: TaskJson["status"] }) {
  const taken = path.states.filter(({ place }) => place !== "ahead");
  return (
    <p className="path-sm">
      {taken.map((state, index) => (
        <Fragment key={state.name}>
          {index > 0 && <ChevronRight size={12} aria-hidden />}
          <StateWord state={state} status={status} />
        </Fragment>
      ))}
    </p>
  );
}

function StateWord({ state: { name, place, visits }, status }: { state: TracedState; status: TaskJson["status"] }) {
  const text = `${name}${visits > 1 ? ` ×${visits}` : ""}`;
  if (place !== "current") return <span dir="auto">{text}</span>;
  return (
    <b className={`now ${status}`} dir="auto">
      {text}
    </b>
  );
}

function listTransitions(events: readonly EventJson[]) {
  return events
    .filter(({ type }) => type === "task.state")
    .map(({ data }) => ({
      from: typeof data["from"] === "string" ? data["from"] : null,
      to: String(data["to"]),
      outcome: String(data["outcome"]),
    }));
}
