import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { explainApply, explainRunRole } from "../../../../../src/core/pipeline/explain-idle-actions.ts";
import type { PersonAction } from "../../../../../src/core/pipeline/explain-actions.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { type Act, useAct } from "../../../act/use-act.tsx";
import { type TaskChoice, useTaskChoices } from "../../../act/use-task-choices.ts";
import { useRefusal } from "../../../app/session.ts";
import { Button } from "../../../ui/button.tsx";
import { Menu, type MenuItem } from "../../../ui/menu.tsx";
import { ErrorBanner } from "../../../ui/state.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { idleFactsOf } from "../task-facts.ts";
import { ApplyDialog } from "./apply-dialog.tsx";
import { DecideLink } from "./decide-link.tsx";
import { RetryDialog } from "./retry-dialog.tsx";
import { RunRoleDialog } from "./run-role-dialog.tsx";

type OpenDialog = "retry" | "run" | "apply" | null;

/** What a person answers where the task is shown in full. */
const DECISIONS: readonly PersonAction[] = ["approve", "answer", "choose", "merge", "revise", "reject"];

/** Everything that a person can do with the task: the most useful action first, all others in a menu. */
export function TaskActions({ task }: { task: TaskJson }) {
  const [open, setOpen] = useState<OpenDialog>(null);
  const act = useAct();
  const choices = useTaskChoices()(task).filter(({ action }) => !DECISIONS.includes(action));
  const extra = useExtraChoices(task, setOpen);
  const run = (choice: TaskChoice) => () =>
    choice.action === "retry" ? setOpen("retry") : act.start(choice.action, [task]);
  const main = task.waiting_for === null ? findMain(task, choices, extra) : null;
  const items = [
    ...choices.map((choice): MenuItem => ({
      id: choice.action,
      label: choice.action === "retry" ? "Retry…" : choice.label,
      refusal: choice.refusal,
      isDanger: choice.isDanger,
      run: run(choice),
    })),
    ...extra,
    { id: "copy", label: "Copy the id", run: () => void copyId(task.id) },
  ].filter(({ id }) => id !== main?.id);
  const close = (): void => setOpen(null);
  return (
    <>
      <div className="btns">
        {task.waiting_for !== null && <DecideLink task={task} />}
        {main !== null && (
          <Button
            kind={main.isPrimary ? "primary" : "plain"}
            refusal={main.refusal}
            isBusy={act.isBusy}
            onClick={main.run}
          >
            {main.label}
          </Button>
        )}
        <Menu label="More actions" items={() => sortItems(items)}>
          <Ellipsis size={16} aria-hidden />
        </Menu>
      </div>
      {act.dialog}
      <Failure act={act} />
      {open === "retry" && <RetryDialog task={task} onClose={close} />}
      {open === "run" && <RunRoleDialog task={task} onClose={close} />}
      {open === "apply" && <ApplyDialog task={task} onClose={close} />}
    </>
  );

  /** The button beside the menu. */
  function findMain(
    { status }: TaskJson,
    given: readonly TaskChoice[],
    more: readonly MenuItem[],
  ): (MenuItem & { readonly isPrimary: boolean }) | null {
    const wanted = {
      queued: "pause",
      running: "pause",
      paused: "resume",
      failed: "retry",
      cancelled: "retry",
    } as const;
    if (status === "waiting") return null;
    if (status === "succeeded") {
      const apply = more.find(({ id, refusal }) => id === "apply" && refusal == null);
      if (apply !== undefined) return { ...apply, isPrimary: true };
    }
    const name = status === "succeeded" ? "follow-up" : wanted[status];
    const choice = given.find(({ action }) => action === name);
    if (choice === undefined) return null;
    const label = name === "retry" ? "Retry…" : choice.label;
    return {
      id: name,
      label,
      refusal: choice.refusal,
      run: run(choice),
      isPrimary: name === "resume" || name === "retry",
    };
  }
}

/** First what is possible. */
function sortItems(items: readonly MenuItem[]): readonly MenuItem[] {
  return items.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ refusal, isDanger }: MenuItem): number {
  return (refusal == null ? 0 : 2) + (isDanger === true ? 1 : 0);
}

/** Actions that only the task's own page offers. */
function useExtraChoices(task: TaskJson, open: (dialog: OpenDialog) => void): readonly MenuItem[] {
  const facts = idleFactsOf(task);
  const mayRun = useRefusal("submit", "Running a role");
  const mayApply = useRefusal("approve", "Applying files");
  return [
    {
      id: "run",
      label: "Run a role…",
      refusal: toSentence(explainRunRole(task.status, facts)) ?? mayRun,
      run: () => open("run"),
    },
    {
      id: "apply",
      label: "Apply the files…",
      refusal: toSentence(explainApply(task.status, facts)) ?? mayApply,
      run: () => open("apply"),
    },
  ];
}

function toSentence(clause: string | null): string | null {
  return clause === null ? null : `Not possible: ${clause}.`;
}

function Failure({ act: { failure, dismiss } }: { act: Act }) {
  if (failure === null) return null;
  return (
    <div className="act-failure">
      <ErrorBanner title="That did not work." error={failure.error} />
      <Button size="small" onClick={dismiss}>
        Close
      </Button>
    </div>
  );
}

async function copyId(id: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(id);
    showToast(`Copied ${id}`);
  } catch {
    showToast(`The browser does not allow copying here. The id is ${id}`); // only secure origins may
  }
}
