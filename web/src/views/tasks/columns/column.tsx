import { type DragEvent, useId } from "react";
import type { TaskMove } from "../../../../../src/core/pipeline/task-moves.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { Button } from "../../../ui/button.tsx";
import { formatCount } from "../../../ui/format.ts";
import { Glyph } from "../../../ui/glyph.tsx";
import type { MenuItem } from "../../../ui/menu.tsx";
import { ErrorBanner } from "../../../ui/state.tsx";
import type { TaskFilter } from "../filter.ts";
import { useRefresh } from "../list/use-refresh.ts";
import { useTaskPages } from "../list/use-task-pages.ts";
import { useTaskCounts } from "../use-task-counts.ts";
import { TaskCard } from "./card.tsx";
import type { ColumnOf } from "./columns-of.ts";

const PAGE_SIZE = 30;

export interface ColumnProps {
  readonly column: ColumnOf;
  readonly filter: TaskFilter;
  /** The task that is being dragged. */
  readonly dragged: TaskJson | null;
  readonly refusal: string | null;
  readonly itemsOf: (task: TaskJson) => readonly MenuItem[];
  readonly onDrag: (task: TaskJson | null) => void;
  readonly onDrop: (task: TaskJson, move: TaskMove) => void;
  readonly onFocus: (id: string) => void;
}

/** The tasks of one column. Without tasks it is a strip, which opens while a task can be dropped there. */
export function Column({ column, filter, dragged, refusal, itemsOf, onDrag, onDrop, onFocus }: ColumnProps) {
  const headId = useId();
  const { tasks, count, pages } = useColumnTasks(column, filter);
  const move = dragged === null ? null : column.moveHere(dragged);
  const isAllowed = move?.kind === "action" && refusal === null;
  const isThin = count === 0 && !isAllowed;
  const lit = move === null ? "" : isAllowed ? " yes" : " no";
  const drop = isAllowed ? { onDragOver: acceptDrop, onDrop: () => dragged !== null && onDrop(dragged, move) } : {};
  return (
    <section className={`colm${lit}${isThin ? " thin" : ""}`} aria-labelledby={headId} {...drop}>
      <h2 id={headId}>
        {column.glyph !== null && !isThin && <Glyph name={column.glyph} />}
        <span className="clip" dir="auto">
          {column.title}
        </span>
        <span className="n">{count === null ? "" : formatCount(count)}</span>
      </h2>
      {!isThin && (
        <>
          {isAllowed && <p className="drop">Drop to {lowerFirst(move.effect)}</p>}
          {move?.kind === "refused" && <p className="why">{move.reason}</p>}
          {move?.kind === "action" && refusal !== null && <p className="why">{refusal}</p>}
          {pages.error !== null && (
            <ErrorBanner title="Not loaded." error={pages.error} retry={() => void pages.refetch()} />
          )}
          <ul>
            {tasks.map((task) => (
              <li key={task.id}>
                <TaskCard
                  isStatusHidden={column.status !== null && column.status !== "waiting"}
                  {...{ task, itemsOf, onDrag, onFocus }}
                />
              </li>
            ))}
          </ul>
          {pages.hasNextPage && (
            <Button
              size="small"
              kind="quiet"
              isBusy={pages.isFetchingNextPage}
              onClick={() => void pages.fetchNextPage()}
            >
              Show more of {column.title}
            </Button>
          )}
        </>
      )}
    </section>
  );
}

function useColumnTasks({ status, state }: ColumnOf, filter: TaskFilter) {
  const pages = useTaskPages({
    filter,
    isEnabled: true,
    pageSize: PAGE_SIZE,
    ...(status !== null && { status }),
    ...(state !== null && { state }),
  });
  const { counts } = useTaskCounts(filter, state);
  const counted =
    counts === null
      ? null
      : status === null
        ? Object.values(counts).reduce((sum, each) => sum + each, 0)
        : counts[status];
  useRefresh([{ pages, count: counted, isLive: true }]);
  return { tasks: pages.data?.tasks ?? [], count: counted, pages };
}

function acceptDrop(event: DragEvent): void {
  event.preventDefault();
  event.dataTransfer.dropEffect = "move";
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
