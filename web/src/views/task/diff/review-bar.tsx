import { useId, useState } from "react";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { useAction } from "../../../api/actions.ts";
import { DecideTask } from "../../../decide/decide-task.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { plural } from "../../../ui/format.ts";
import { ErrorBanner } from "../../../ui/state.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { isOutdated } from "./move-on.tsx";
import type { ReviewDraft } from "./use-review-draft.ts";

interface ReviewBarProps {
  readonly task: TaskJson;
  readonly review: ReviewDraft;
  /** Why no comments can be sent, or null. */
  readonly refusal: string | null;
  readonly head: string | null;
}

/** Sends the comments as one review, or decides about the change. */
export function ReviewBar({ task, review, refusal, head }: ReviewBarProps) {
  const id = useId();
  const action = useAction("POST /tasks/:id/comments");
  const waits = task.waiting_for?.kind === "merge" || task.waiting_for?.kind === "review";
  const written = review.written.length;
  const isEmpty = written === 0 && review.summary.trim() === "";
  if (!waits && isEmpty) return null;
  const outdated = isOutdated(review, head) ? "The change moved on. Say first whether your comments still hold." : null;
  const send = async (): Promise<void> => {
    const { summary, written: drafts } = review;
    const comments = drafts.map(({ file, line, severity, text }) => ({ file, line, severity, comment: text.trim() }));
    const commit = review.commit ?? head ?? "";
    const sent = await action.run({ params: { id: task.id }, body: { commit, summary: summary.trim(), comments } });
    if (sent === null) return;
    review.clear();
    showToast(`Sent. ${nameAuthor(task)} works on it.`);
  };
  return (
    <>
      <div role="group" aria-label="Your review" className={written > 0 ? "review-bar stuck" : "review-bar"}>
        {action.error !== null && <ErrorBanner title="The comments were not sent." error={action.error} />}
        <Button
          kind={isEmpty ? "plain" : "primary"}
          isBusy={action.isBusy}
          refusal={refusal ?? outdated ?? (isEmpty ? "Write a comment first." : null)}
          onClick={() => void send()}
        >
          {describeSending(written, nameAuthor(task))}
        </Button>
        {written > 0 && <span className="hint">{plural(written, "comment")} not sent</span>}
        {waits && <Decide task={task.id} />}
      </div>
      <div className="review-end">
        <label className="lab" htmlFor={id}>
          About the change as a whole
        </label>
        <textarea
          id={id}
          className="in"
          rows={2}
          dir="auto"
          maxLength={20_000}
          placeholder="What should be different? Choose a line number to comment on a line."
          value={review.summary}
          onChange={({ target }) => review.setSummary(target.value)}
        />
      </div>
    </>
  );
}

function describeSending(count: number, author: string): string {
  return count === 0
    ? `Ask ${author} for changes`
    : `Send ${plural(count, "comment")}: ${author} works on ${count === 1 ? "it" : "them"}`;
}

/** The agent that made the change also works on the comments. */
function nameAuthor({ runs }: TaskJson): string {
  const author = runs.findLast(({ role }) => role === "implement" || role === "request_changes");
  return author?.agent ?? "the agent";
}

function Decide({ task }: { task: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button className="end" onClick={() => setOpen(true)}>
        Merge or reject…
      </Button>
      {isOpen && (
        <Dialog title="Decide about this change" onClose={() => setOpen(false)}>
          <DecideTask task={task} onDecided={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}
