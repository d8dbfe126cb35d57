import type { PersonAction } from "../../../src/core/pipeline/explain-actions.ts";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { plural } from "../ui/format.ts";

interface ConfirmActionProps {
  readonly action: PersonAction;
  readonly tasks: readonly TaskJson[];
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

interface Words {
  readonly verb: string;
  /** What ends or is lost, and what is kept. */
  readonly effect: string;
}

const WORDS: Readonly<Partial<Record<PersonAction, Words>>> = {
  cancel: {
    verb: "Cancel",
    effect: "A run that works on it is asked to stop. Its branch and its records are kept, and it can be retried.",
  },
  kill: {
    verb: "End",
    effect:
      "A run that works on it ends immediately, without saving what it was doing. Its branch and its records are kept, and it can be retried.",
  },
  delete: {
    verb: "Delete",
    effect:
      "Its workspace, its transcripts and its records are removed. Branches and change requests that it published are kept. Its costs still count.",
  },
};

/** Asks before a task ends or is removed, and says what is kept. */
export function ConfirmAction({ action, tasks, isBusy, onConfirm, onClose }: ConfirmActionProps) {
  const { verb, effect } = WORDS[action] ?? { verb: action, effect: "" };
  const [first] = tasks;
  const what = tasks.length === 1 ? `“${first?.title ?? ""}”` : plural(tasks.length, "task");
  return (
    <ConfirmDialog
      title={`${verb} ${what}?`}
      action={tasks.length === 1 ? `${verb} the task` : `${verb} ${plural(tasks.length, "task")}`}
      {...{ isBusy, onConfirm, onClose }}
    >
      <p>{tasks.length === 1 ? effect : effect.replaceAll("it ", "each of them ")}</p>
      {tasks.length > 1 && (
        <ul>
          {tasks.slice(0, MAX_LISTED).map(({ id, title }) => (
            <li key={id} dir="auto">
              {title}
            </li>
          ))}
          {tasks.length > MAX_LISTED && <li>and {plural(tasks.length - MAX_LISTED, "more task")}</li>}
        </ul>
      )}
    </ConfirmDialog>
  );
}

const MAX_LISTED = 8;
