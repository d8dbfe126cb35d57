import { createContext, type ReactNode, use, useRef, useState } from "react";
import { useMarkCurrentTask } from "../../app/current-task.ts";
import { useShortcut } from "../../app/shortcuts.ts";

const ROW = "[data-row]";
const TITLE = "a.t";

const CursorContext = createContext<string | null>(null);

/** Lets `j` and `k` move the focus over the titles of all rows inside. Enter then opens the task, as on any link. */
export function RowCursor({ children }: { children: ReactNode }) {
  const [current, setCurrent] = useState<string | null>(null);
  useMarkCurrentTask(current);
  const holder = useRef<HTMLDivElement>(null);

  function move(by: 1 | -1): void {
    const rows = [...(holder.current?.querySelectorAll<HTMLElement>(ROW) ?? [])];
    const index = rows.findIndex((row) => row.dataset["row"] === current);
    const next = rows[index === -1 ? (by === 1 ? 0 : rows.length - 1) : index + by];
    next?.querySelector<HTMLElement>(TITLE)?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  useShortcut({ keys: "j", label: "Next row", run: () => move(1) });
  useShortcut({ keys: "k", label: "Previous row", run: () => move(-1) });
  return (
    <div
      ref={holder}
      onFocus={({ target }) => {
        const row = target.closest<HTMLElement>(ROW)?.dataset["row"];
        if (row !== undefined) setCurrent(row);
      }}
    >
      <CursorContext value={current}>{children}</CursorContext>
    </div>
  );
}

/** Whether the keys of a row act on the row of this task. */
export function useIsCurrent(task: string): boolean {
  return use(CursorContext) === task;
}
