import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import type { TaskStatus } from "../../../../../src/core/task/task.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { type Act, useAct } from "../../../act/use-act.tsx";
import { useTaskChoices } from "../../../act/use-task-choices.ts";
import { useMarkCurrentTask } from "../../../app/current-task.ts";
import { useShortcut } from "../../../app/shortcuts.ts";
import type { MenuItem } from "../../../ui/menu.tsx";
import { ErrorBanner, Skeleton } from "../../../ui/state.tsx";
import { ActProblem } from "../act-problem.tsx";
import type { TaskFilter } from "../filter.ts";
import { NoTasks } from "../no-tasks.tsx";
import { listRows, moveCursor } from "./rows.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { TaskList } from "./task-list.tsx";
import { useGroups } from "./use-groups.ts";
import { type Selection, useSelection } from "./use-selection.ts";

/** The tasks as a list, grouped by status. */
export function ListView({ filter }: { filter: TaskFilter }) {
  const [folded, setFolded] = useState<readonly TaskStatus[]>([]);
  const [current, setCurrent] = useState<string | null>(null);
  const { groups, isLoading, error, retry, loadMore } = useGroups(filter, folded);
  const rows = listRows(groups);
  const selection = useSelection();
  const act = useAct(selection.clear);
  useMarkCurrentTask(current);

  const find = (id: string | null): TaskJson | null =>
    rows.flatMap((row) => (row.kind === "task" && row.task.id === id ? [row.task] : []))[0] ?? null;
  useRowKeys({
    selection,
    current: find(current),
    move: (step) => setCurrent(moveCursor(rows, current, step)?.id ?? null),
  });
  const fold = useCallback(
    (status: TaskStatus) =>
      setFolded((old) => (old.includes(status) ? old.filter((each) => each !== status) : [...old, status])),
    [],
  );
  const itemsOf = useMenuItems(act, selection);

  if (error !== null && rows.length === 0)
    return (
      <div className="flush-pad">
        <ErrorBanner title="The tasks could not be read." error={error} retry={retry} />
      </div>
    );
  if (rows.length === 0) return isLoading ? <Skeleton rows={8} /> : <NoTasks filter={filter} />;
  return (
    <>
      {error !== null && <ErrorBanner title="Some tasks could not be read." error={error} retry={retry} />}
      <ActProblem act={act} />
      <TaskList
        {...{ rows, current, itemsOf }}
        selected={selection.tasks}
        onFocus={setCurrent}
        onSelect={selection.toggle}
        onFold={fold}
        onMore={loadMore}
      />
      {selection.tasks.size > 0 && (
        <SelectionBar tasks={[...selection.tasks.values()]} act={act} onClear={selection.clear} />
      )}
      {act.dialog}
    </>
  );
}

interface RowKeys {
  readonly selection: Selection;
  readonly current: TaskJson | null;
  readonly move: (step: 1 | -1) => void;
}

function useRowKeys({ selection, current, move }: RowKeys): void {
  const navigate = useNavigate();
  useShortcut({ keys: "j", label: "Next task", run: () => move(1) });
  useShortcut({ keys: "k", label: "Previous task", run: () => move(-1) });
  useShortcut(current === null ? null : { keys: "x", label: "Select the task", run: () => selection.toggle(current) });
  useShortcut(
    current === null
      ? null
      : {
          keys: "o",
          label: "Open the task",
          run: () => void navigate({ to: "/tasks/$id", params: { id: current.id } }),
        },
  );
  useShortcut(
    selection.tasks.size === 0 ? null : { keys: "Escape", label: "Clear the selection", run: selection.clear },
  );
}

/** The rows are rendered only if their own data changes, so the function stays the same. */
function useMenuItems(act: Act, selection: Selection): (task: TaskJson) => readonly MenuItem[] {
  const choicesOf = useTaskChoices();
  const build = (task: TaskJson): readonly MenuItem[] => [
    ...choicesOf(task).map(({ action, label, refusal, isDanger }): MenuItem => ({
      id: action,
      label,
      refusal,
      isDanger,
      run: () => act.start(action, [task]),
    })),
    {
      id: "select",
      label: selection.tasks.has(task.id) ? "Remove from the selection" : "Select",
      run: () => selection.toggle(task),
    },
  ];
  const latest = useRef(build);
  useEffect(() => {
    latest.current = build;
  });
  return useCallback((task: TaskJson) => latest.current(task), []);
}
