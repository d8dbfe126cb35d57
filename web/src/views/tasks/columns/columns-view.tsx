import { useState } from "react";
import type { TaskMove } from "../../../../../src/core/pipeline/task-moves.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { useAct } from "../../../act/use-act.tsx";
import { useTaskChoices } from "../../../act/use-task-choices.ts";
import { useMarkCurrentTask } from "../../../app/current-task.ts";
import { useRefusal } from "../../../app/session.ts";
import { useShortcut } from "../../../app/shortcuts.ts";
import type { MenuItem } from "../../../ui/menu.tsx";
import { ActProblem } from "../act-problem.tsx";
import type { TaskFilter } from "../filter.ts";
import { NoTasks } from "../no-tasks.tsx";
import { useTaskCounts } from "../use-task-counts.ts";
import { Column } from "./column.tsx";
import type { ColumnOf } from "./columns-of.ts";

/** The tasks in columns. A task moves by dragging it, or by its menu. */
export function ColumnsView({ columns, filter }: { columns: readonly ColumnOf[]; filter: TaskFilter }) {
  const [dragged, setDragged] = useState<TaskJson | null>(null);
  const [current, setCurrent] = useState<string | null>(null);
  const refusal = useRefusal("submit", "Moving a task");
  const act = useAct();
  const choicesOf = useTaskChoices();
  const { counts } = useTaskCounts(filter);
  useMarkCurrentTask(current);
  useShortcut({ keys: "j", label: "Next task", run: () => focusCard(1) });
  useShortcut({ keys: "k", label: "Previous task", run: () => focusCard(-1) });

  const perform = (task: TaskJson, move: TaskMove): void => {
    if (move.kind === "action") act.start(move.action, [task], move.from);
  };
  const itemsOf = (task: TaskJson): readonly MenuItem[] => {
    const moves = columns.flatMap(({ key, state, moveHere }): readonly MenuItem[] => {
      const move = state === null ? null : moveHere(task);
      if (move?.kind !== "action" || move.from === null) return [];
      return [{ id: `move ${key}`, label: move.effect, refusal, run: () => perform(task, move) }];
    });
    const actions = choicesOf(task).map(({ action, label, refusal: why, isDanger }): MenuItem => ({
      id: action,
      label,
      refusal: why,
      isDanger,
      run: () => act.start(action, [task]),
    }));
    return [...moves, ...actions];
  };
  const onDrop = (task: TaskJson, move: TaskMove): void => {
    setDragged(null);
    perform(task, move);
  };

  if (counts !== null && Object.values(counts).every((count) => count === 0)) return <NoTasks filter={filter} />;
  return (
    <>
      <ActProblem act={act} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- without it, nobody can scroll it by keyboard */}
      <div className="cols" tabIndex={0} role="region" aria-label="Columns">
        {columns.map((column) => (
          <Column
            key={column.key}
            onDrag={setDragged}
            onFocus={setCurrent}
            {...{ column, filter, dragged, refusal, itemsOf, onDrop }}
          />
        ))}
      </div>
      {act.dialog}
    </>
  );
}

/** Moves the focus over the cards, column by column. */
function focusCard(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(".card a.t")];
  const at = links.findIndex((link) => link.closest(".card")?.contains(document.activeElement));
  const next = at < 0 ? (step === 1 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + step));
  links[next]?.focus();
  links[next]?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
