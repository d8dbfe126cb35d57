import type { PersonAction } from "../../../../../src/core/pipeline/explain-actions.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { ACTION_WORDS } from "../../../act/action-words.ts";
import type { Act } from "../../../act/use-act.tsx";
import { useTaskChoices } from "../../../act/use-task-choices.ts";
import { Button } from "../../../ui/button.tsx";
import { formatCount } from "../../../ui/format.ts";

/** Decisions are about one task each, so they are not here. */
const FOR_SEVERAL: readonly PersonAction[] = ["retry", "resume", "pause", "cancel", "delete"];

interface SelectionBarProps {
  readonly tasks: readonly TaskJson[];
  readonly act: Act;
  readonly onClear: () => void;
}

/** What can be done with the selected tasks. */
export function SelectionBar({ tasks, act, onClear }: SelectionBarProps) {
  const choicesOf = useTaskChoices();
  const choices = tasks.map((task) => ({ task, choices: choicesOf(task) }));
  return (
    <div className="pick-bar" role="toolbar" aria-label="Actions on the selected tasks">
      <span className="strong" role="status">
        {formatCount(tasks.length)} selected
      </span>
      {FOR_SEVERAL.map((action) => {
        const own = choices.map((each) => ({
          ...each,
          choice: each.choices.find((choice) => choice.action === action),
        }));
        const possible = own.filter(({ choice }) => choice?.refusal === null).map(({ task }) => task);
        const [first] = own;
        return (
          <Button
            key={action}
            size="small"
            kind={action === "cancel" || action === "delete" ? "danger" : "plain"}
            refusal={possible.length > 0 ? null : (first?.choice?.refusal ?? "Not possible.")}
            onClick={() => act.start(action, possible)}
          >
            {ACTION_WORDS[action].label}
            {possible.length > 0 && possible.length < tasks.length && ` ${possible.length} of ${tasks.length}`}
          </Button>
        );
      })}
      <Button size="small" kind="quiet" className="end" onClick={onClear} shortcut="Esc">
        Clear
      </Button>
    </div>
  );
}
