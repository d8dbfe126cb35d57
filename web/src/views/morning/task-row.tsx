import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ReportedTaskJson } from "../../../../src/http/client/client.ts";
import { Glyph, type GlyphName } from "../../ui/glyph.tsx";
import { useIsCurrent } from "./cursor.tsx";

export interface TaskRowProps {
  readonly task: ReportedTaskJson;
  readonly glyph: GlyphName;
  /** Facts after the project and the pipeline. */
  readonly facts?: readonly ReactNode[];
  /** Actions at the end of the row. */
  readonly actions?: ReactNode;
  /** Below the facts. */
  readonly children?: ReactNode;
  /** A form in place, as wide as the row. */
  readonly form?: ReactNode;
}

/** A task of the report: title, facts, what happened, and what can be done. */
export function TaskRow({ task, glyph, facts = [], actions, children, form }: TaskRowProps) {
  const isCurrent = useIsCurrent(task.id);
  const classes = ["row task", form === undefined ? "" : "open", isCurrent ? "key" : ""];
  return (
    <div className={classes.filter(Boolean).join(" ")} data-row={task.id}>
      <span className="glyph">
        <Glyph name={glyph} />
      </span>
      <div className="grow">
        <TaskTitle task={task} />
        <TaskFacts task={task} facts={facts} />
        {children}
      </div>
      {actions !== undefined && <div className="rt">{actions}</div>}
      {form !== undefined && <div className="in-place">{form}</div>}
    </div>
  );
}

export function TaskTitle({ task: { id, title } }: { task: ReportedTaskJson }) {
  return (
    <h3>
      <Link className="t" to="/tasks/$id" params={{ id }} dir="auto">
        {title}
      </Link>
    </h3>
  );
}

export function TaskFacts({ task, facts }: { task: ReportedTaskJson; facts: readonly ReactNode[] }) {
  const shown = facts.filter((fact) => fact !== null && fact !== false);
  return (
    <div className="m">
      <b dir="auto">{task.project}</b>
      <span dir="auto">{task.category ?? task.pipeline}</span>
      {shown.map((fact, index) => (
        // The facts of a row keep their places.
        <span dir="auto" key={index}>
          {fact}
        </span>
      ))}
    </div>
  );
}
