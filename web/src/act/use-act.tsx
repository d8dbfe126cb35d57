import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { PersonAction } from "../../../src/core/pipeline/explain-actions.ts";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { plural } from "../ui/format.ts";
import { showToast } from "../ui/toast.tsx";
import { ACTION_WORDS } from "./action-words.ts";
import { ConfirmAction } from "./confirm-action.tsx";
import { FollowUpDialog } from "./follow-up-dialog.tsx";
import { useSendAction } from "./send-action.ts";

export interface Act {
  /** Does it, or asks first. Decisions open in the inbox, where everything they are about is shown. */
  start(action: PersonAction, tasks: readonly TaskJson[], from?: string | null): void;
  readonly isBusy: boolean;
  /** Why an action failed, until the next one. */
  readonly failure: ActFailure | null;
  dismiss(): void;
  /** The dialogs that ask first. Show them once. */
  readonly dialog: ReactNode;
}

export interface ActFailure {
  readonly task: TaskJson;
  readonly action: PersonAction;
  readonly error: Error;
}

interface Asked {
  readonly action: PersonAction;
  readonly tasks: readonly TaskJson[];
}

const ASKS_FIRST: readonly PersonAction[] = ["cancel", "kill", "delete"];

/** Everything that a person can do with tasks from a list, a menu or the command palette. */
export function useAct(onDone?: () => void): Act {
  const navigate = useNavigate();
  const sendAction = useSendAction();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [failure, setFailure] = useState<ActFailure | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function send(action: PersonAction, tasks: readonly TaskJson[], from: string | null): Promise<void> {
    setFailure(null);
    setBusy(true);
    let done = 0;
    for (const task of tasks) {
      const error = await sendAction(action, task.id, from);
      if (error !== null) {
        setFailure({ task, action, error });
        break;
      }
      done += 1;
    }
    setBusy(false);
    setAsked(null);
    if (done === 0) return;
    const [first] = tasks;
    showToast(`${ACTION_WORDS[action].done ?? ""} ${done === 1 ? `“${first?.title ?? ""}”` : plural(done, "task")}.`);
    if (done === tasks.length) onDone?.();
  }

  function start(action: PersonAction, tasks: readonly TaskJson[], from: string | null = null): void {
    const [first] = tasks;
    if (first === undefined) return;
    if (action === "follow-up" || ASKS_FIRST.includes(action)) setAsked({ action, tasks });
    else if (action === "comment") void navigate({ to: "/tasks/$id/$tab", params: { id: first.id, tab: "diff" } });
    else if (ACTION_WORDS[action].done === undefined) void navigate({ to: "/inbox/$task", params: { task: first.id } });
    else void send(action, tasks, from);
  }

  const close = (): void => setAsked(null);
  const [first] = asked?.tasks ?? [];
  return {
    start,
    isBusy,
    failure,
    dismiss: () => setFailure(null),
    dialog:
      asked === null || first === undefined ? null : asked.action === "follow-up" ? (
        <FollowUpDialog task={first} onClose={close} />
      ) : (
        <ConfirmAction
          {...asked}
          isBusy={isBusy}
          onConfirm={() => void send(asked.action, asked.tasks, null)}
          onClose={close}
        />
      ),
  };
}
