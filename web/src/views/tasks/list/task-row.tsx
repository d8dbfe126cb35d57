import { Link } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { type CSSProperties, memo, type Ref } from "react";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { formatAge, formatFullTime } from "../../../ui/format.ts";
import { Glyph, glyphWord } from "../../../ui/glyph.tsx";
import { Menu, type MenuItem } from "../../../ui/menu.tsx";
import { describeRow, shownId } from "../row-words.ts";

export interface TaskRowProps {
  readonly task: TaskJson;
  readonly index: number;
  readonly now: number;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly style: CSSProperties;
  readonly measure: Ref<HTMLDivElement>;
  readonly onFocus: (id: string) => void;
  readonly onSelect: (task: TaskJson) => void;
  readonly itemsOf: (task: TaskJson) => readonly MenuItem[];
}

/** One task: 38 px high on a desktop, two lines on a phone. */
export const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { task, index, now, isCurrent, isSelected, style, measure, onFocus, onSelect, itemsOf } = props;
  const words = describeRow(task, now);
  return (
    <div
      className={isSelected ? "tr vr picked" : isCurrent ? "tr vr sel" : "tr vr"}
      role="row"
      aria-rowindex={index + 2}
      ref={measure}
      data-index={index}
      data-task={task.id}
      style={style}
      onFocus={() => onFocus(task.id)}
    >
      <span role="cell" className="pick">
        <Glyph name={task.status} label={glyphWord(task.status)} />
        <input
          type="checkbox"
          aria-label={`Select ${task.title}`}
          checked={isSelected}
          onChange={() => onSelect(task)}
        />
      </span>
      <span role="cell" className="id clip">
        {shownId(task)}
      </span>
      <span role="cell" className="ti">
        <Link className="clip" to="/tasks/$id" params={{ id: task.id }} title={task.title} dir="auto" preload={false}>
          {task.title}
        </Link>
        <Tags tags={task.tags} />
      </span>
      <span role="cell" className="col clip" dir="auto" title={task.project}>
        {task.project}
      </span>
      <span role="cell" className="col agent clip" title={task.pipeline}>
        {task.pipeline}
      </span>
      <span role="cell" className="col st-c clip" dir="auto" title={words}>
        {words}
      </span>
      <span role="cell" className="age" title={`Updated ${formatFullTime(task.updated_at)}`}>
        {formatAge(task.updated_at, now)}
      </span>
      <span role="cell" className="act">
        <Menu label={`Actions on ${task.title}`} items={() => itemsOf(task)}>
          <Ellipsis size={16} aria-hidden />
        </Menu>
      </span>
    </div>
  );
});

const SHOWN_TAGS = 2;

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  const rest = tags.slice(SHOWN_TAGS);
  return (
    <>
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <span className="tag" key={tag} dir="auto">
          <span className="clip">{tag}</span>
        </span>
      ))}
      {rest.length > 0 && (
        <span className="tag" title={rest.join(", ")}>
          +{rest.length}
          <span className="sr"> more tags: {rest.join(", ")}</span>
        </span>
      )}
    </>
  );
}
