import { Link } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { formatAge, formatFullTime } from "../../../ui/format.ts";
import { Glyph, glyphWord } from "../../../ui/glyph.tsx";
import { Menu, type MenuItem } from "../../../ui/menu.tsx";
import { useNow } from "../../../ui/use-now.ts";
import { describeRow } from "../row-words.ts";

export interface CardProps {
  readonly task: TaskJson;
  /** The column says the status already. */
  readonly isStatusHidden: boolean;
  readonly itemsOf: (task: TaskJson) => readonly MenuItem[];
  readonly onDrag: (task: TaskJson | null) => void;
  readonly onFocus: (id: string) => void;
}

/** A task in a column. Its menu has the same moves as dragging. */
export function TaskCard({ task, isStatusHidden, itemsOf, onDrag, onFocus }: CardProps) {
  const now = useNow();
  const [isDragged, setDragged] = useState(false);
  const drag = (isStarting: boolean): void => {
    // Browsers cancel a drag whose start changes the document, so the columns are lit after it has started.
    setTimeout(() => {
      setDragged(isStarting);
      onDrag(isStarting ? task : null);
    });
  };
  return (
    <div
      className={isDragged ? "card ghost" : "card"}
      draggable
      data-task={task.id}
      onDragStart={(event) => {
        event.dataTransfer.setData("text/plain", task.id);
        event.dataTransfer.effectAllowed = "move";
        drag(true);
      }}
      onDragEnd={() => drag(false)}
      onFocus={() => onFocus(task.id)}
    >
      <div className="flex card-top">
        <Link className="t grow" to="/tasks/$id" params={{ id: task.id }} dir="auto" draggable={false} preload={false}>
          {task.title}
        </Link>
        <Menu label={`Moves and actions of ${task.title}`} items={() => itemsOf(task)}>
          <Ellipsis size={16} aria-hidden />
        </Menu>
      </div>
      <span className="m last">
        <span className="clip" dir="auto">
          {task.project}
        </span>
        <span title={`Updated ${formatFullTime(task.updated_at)}`}>{formatAge(task.updated_at, now)}</span>
      </span>
      <span className="m">
        <span className={`st ${task.status}`}>
          {!isStatusHidden && <Glyph name={task.status} label={glyphWord(task.status)} />}
          <span className="clip" dir="auto" title={describeRow(task, now)}>
            {describeRow(task, now)}
          </span>
        </span>
      </span>
    </div>
  );
}
