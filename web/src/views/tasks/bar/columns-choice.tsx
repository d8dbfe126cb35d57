import { useNavigate } from "@tanstack/react-router";
import { type TaskFilter, writeFilter } from "../filter.ts";

interface ColumnsChoiceProps {
  readonly filter: TaskFilter;
  readonly pipelines: readonly string[];
}

/** What the columns are: the status, or the states of one pipeline. */
export function ColumnsChoice({ filter, pipelines }: ColumnsChoiceProps) {
  const navigate = useNavigate();
  const { pipeline } = filter;
  const names = pipeline === null || pipelines.includes(pipeline) ? pipelines : [pipeline, ...pipelines];
  const choose = (name: string): void => {
    const search = { ...writeFilter({ ...filter, pipeline: name || null }), view: "columns" };
    void navigate({ to: "/tasks", search });
  };
  return (
    <select
      className="in sm"
      aria-label="Columns by"
      value={pipeline ?? ""}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">By status</option>
      {names.map((name) => (
        <option key={name} value={name}>
          States of {name}
        </option>
      ))}
    </select>
  );
}
