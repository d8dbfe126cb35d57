import { defaultRangeExtractor, type Range, useWindowVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { type CSSProperties, useEffect, useRef } from "react";
import type { TaskStatus } from "../../../../../src/core/task/task.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { formatCount } from "../../../ui/format.ts";
import type { MenuItem } from "../../../ui/menu.tsx";
import { useNow } from "../../../ui/use-now.ts";
import { useIsPhone } from "../../../ui/use-is-phone.ts";
import { GroupHead } from "./group-head.tsx";
import type { ListRow, TaskGroup } from "./rows.ts";
import { TaskRow } from "./task-row.tsx";
import { useFollowCursor } from "./use-follow-cursor.ts";
import { useLoadMore } from "./use-load-more.ts";
import { useTop } from "./use-top.ts";

const ROW = 38;
const PHONE_ROW = 64;
const HEAD = 32;

export interface TaskListProps {
  readonly rows: readonly ListRow[];
  readonly current: string | null;
  readonly selected: ReadonlyMap<string, TaskJson>;
  readonly onFocus: (id: string) => void;
  readonly onSelect: (task: TaskJson) => void;
  readonly onFold: (status: TaskStatus) => void;
  readonly onMore: (status: TaskStatus) => void;
  readonly itemsOf: (task: TaskJson) => readonly MenuItem[];
}

/** The rows of all groups. Only those on the screen are in the document. */
export function TaskList({ rows, current, selected, onFocus, onSelect, onFold, onMore, itemsOf }: TaskListProps) {
  const table = useRef<HTMLDivElement>(null);
  const now = useNow();
  const isPhone = useIsPhone();
  const top = useTop(table);
  const stuck = useRef(0);
  const extractRange = (range: Range): number[] => {
    stuck.current = Math.max(
      0,
      rows.findLastIndex(({ kind }, index) => kind === "head" && index <= range.startIndex),
    );
    return [...new Set([stuck.current, ...defaultRangeExtractor(range)])].toSorted((a, b) => a - b);
  };
  // oxlint-disable-next-line react/incompatible-library -- the React compiler, which cannot handle this hook, is not used
  const list = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => (rows[index]?.kind === "head" ? HEAD : isPhone ? PHONE_ROW : ROW),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 12,
    scrollMargin: top.offset,
    scrollPaddingStart: top.bar + HEAD,
    scrollPaddingEnd: isPhone ? PHONE_ROW : ROW,
    rangeExtractor: extractRange,
  });
  const items = list.getVirtualItems();
  useEffect(() => list.measure(), [isPhone, list]);
  useLoadMore(rows, items, onMore);
  useFollowCursor(table, current, (id) => {
    const index = rows.findIndex(({ key }) => key === id);
    if (index >= 0) list.scrollToIndex(index, { align: "auto" });
  });

  const place = ({ index, start }: VirtualItem): CSSProperties =>
    index === stuck.current
      ? { position: "sticky", top: top.bar, zIndex: 4 }
      : { position: "absolute", top: start - top.offset };
  return (
    <div role="table" aria-label="Tasks by status" aria-rowcount={rows.length + 1} ref={table}>
      <ColumnNames />
      <div role="rowgroup" className="virtual" style={{ height: list.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          const props = { index: item.index, style: place(item) };
          if (row.kind === "head") return <GroupHead key={row.key} group={row.group} onFold={onFold} {...props} />;
          if (row.kind === "more") return <MoreRow key={row.key} group={row.group} {...props} />;
          return (
            <TaskRow
              key={row.key}
              task={row.task}
              isCurrent={row.task.id === current}
              isSelected={selected.has(row.task.id)}
              measure={list.measureElement}
              {...{ now, onFocus, onSelect, itemsOf }}
              {...props}
            />
          );
        })}
      </div>
    </div>
  );
}

const COLUMNS = ["Status", "Id", "Title", "Project", "Pipeline", "State", "Updated", "Actions"];

function ColumnNames() {
  return (
    <div role="rowgroup" className="sr">
      <div role="row" aria-rowindex={1}>
        {COLUMNS.map((name) => (
          <span role="columnheader" key={name}>
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

function MoreRow({ group: { count, tasks }, index, style }: { group: TaskGroup; index: number; style: CSSProperties }) {
  const rest = count === null ? null : Math.max(0, count - tasks.length);
  return (
    <div role="row" className="tr vr more" aria-rowindex={index + 2} data-index={index} style={style}>
      <span role="cell" className="faint">
        {rest === null || rest === 0 ? "More" : `${formatCount(rest)} more`}, loaded as you scroll
      </span>
    </div>
  );
}
