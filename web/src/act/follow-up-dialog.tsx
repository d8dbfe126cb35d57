import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { DONE, useAction } from "../api/actions.ts";
import { useDraft } from "../app/draft.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorBanner } from "../ui/state.tsx";
import { showToast } from "../ui/toast.tsx";

/** Continues a task that has ended or waits for its merge. */
export function FollowUpDialog({ task, onClose }: { task: TaskJson; onClose: () => void }) {
  const [text, setText, forget] = useDraft(`follow-up.${task.id}`, "");
  const [isMissing, setMissing] = useState(false);
  const action = useAction("POST /tasks/:id/follow-up");
  const navigate = useNavigate();
  const id = useId();

  async function send(): Promise<void> {
    setMissing(text.trim() === "");
    if (text.trim() === "") return;
    const reply = await action.run({ params: { id: task.id }, body: { text } });
    if (reply === null || reply === DONE) return;
    forget();
    onClose();
    showToast(reply.id === task.id ? "The task continues." : "A new task continues the merged one.");
    void navigate({ to: "/tasks/$id", params: { id: reply.id } });
  }

  return (
    <Dialog
      title="Follow up"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" isBusy={action.isBusy} onClick={() => void send()}>
            Send the follow-up
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Not now
          </Button>
        </>
      }
    >
      <p className="muted" dir="auto">
        {task.title}
      </p>
      <div className="field">
        <label htmlFor={id}>What should be done next?</label>
        <textarea
          className="in"
          id={id}
          rows={6}
          dir="auto"
          autoFocus
          value={text}
          aria-invalid={isMissing || undefined}
          aria-describedby={`${id}-hint`}
          onChange={(event) => setText(event.target.value)}
        />
        <span className={isMissing ? "err" : "hint"} id={`${id}-hint`}>
          {isMissing ? "Say what should be done next." : "The agent knows the task, its change and its reviews."}
        </span>
      </div>
      {action.error !== null && <ErrorBanner title="The follow-up was not sent." error={action.error} />}
    </Dialog>
  );
}
