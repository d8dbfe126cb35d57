import { TriangleAlert } from "lucide-react";
import { useId, useRef, useState } from "react";
import { shortHash } from "../../../../src/core/text/short-hash.ts";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { useDraft } from "../../app/draft.ts";
import { useSession } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Banner } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";
import { Asked } from "../asked.tsx";
import { Compose, EndDialog, useForgetDraft } from "../compose.tsx";
import { shortTitle, useDecision, useDecisionRefusal } from "../decision-context.ts";
import { PRIMARY_KEY, useDecisionKey } from "../decision-keys.ts";
import { SendButton, SendProblem, useSend } from "../send.tsx";
import type { WaitOf } from "../wait.ts";
import { ChangeFacts } from "./change-facts.tsx";
import { ReviewVoice } from "./review-voice.tsx";
import { findVerdict } from "./verdict.ts";

/** A checked change: a person merges it, asks for changes or rejects it. */
export function MergeForm({ waiting }: { waiting: WaitOf<"merge"> | WaitOf<"review"> }) {
  const { task } = useDecision();
  const session = useSession();
  const [open, setOpen] = useState<"compose" | "reject" | null>(null);
  const [note, setNote, forget] = useDraft(`decide.${task.id}.merge.${task.head_commit ?? ""}`, "");
  const [isChecked, setChecked] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const isMerge = waiting.kind === "merge";
  const merge = useSend("POST /tasks/:id/merge", describeMerged, forget);
  const approve = useSend("POST /tasks/:id/approve", `Approved: ${shortTitle(task)}`);
  const change = useSend("POST /tasks/:id/follow-up", `Sent back: ${shortTitle(task)}`, useForgetDraft("follow-up"));
  const reject = useSend("POST /tasks/:id/reject", `Rejected: ${shortTitle(task)}`, useForgetDraft("reason"));
  const right = useDecisionRefusal("approve", isMerge ? "Merging" : "Approving a change");
  const rightToChange = useDecisionRefusal("submit", "Asking for changes");
  const verdict = findVerdict(task);
  const isNoteNeeded = useHasReview(task.id) && isMerge && !verdict.isApproved;
  const isNoteMissing = isChecked && isNoteNeeded && note.trim() === "";
  const send = isMerge ? merge : approve;
  const close = (): void => setOpen(null);

  function press(): void {
    if (!isMerge) return approve.press({});
    setChecked(true);
    if (isNoteNeeded && note.trim() === "") return field.current?.focus();
    merge.press({ note: note.trim() === "" ? null : note.trim() });
  }
  const label = isMerge ? "Merge" : "Approve";
  const byKey = open === null && right === null ? press : null;
  useDecisionKey("mod+Enter", label, byKey);
  useDecisionKey(isMerge ? "m" : "a", label, byKey);
  useDecisionKey("r", "Ask for changes", open === null && rightToChange === null ? () => setOpen("compose") : null);

  return (
    <>
      <div className="body">
        {waiting.kind === "merge" && <MergeProblem waiting={waiting} />}
        <Asked />
        <ChangeFacts {...{ task, verdict }} />
        {verdict.review !== null && <ReviewVoice task={task} review={verdict.review} />}
        {isMerge && (
          <Note {...{ note, setNote, field, isNoteNeeded, isNoteMissing }} isPosted={task.change_request !== null} />
        )}
        <SendProblem send={send} title={isMerge ? "It was not merged." : "It was not approved."} />
      </div>
      <div className="acts">
        {open === "compose" ? (
          <Compose
            label="What should be different?"
            placeholder="The agent gets this, changes the work, and the checks run again"
            draft="follow-up"
            action="Ask for changes"
            problem="The request was not sent."
            refusal={rightToChange}
            send={change}
            onSend={(text) => change.press({ text })}
            onClose={close}
          />
        ) : (
          <>
            <SendButton kind="primary" send={send} refusal={right} onPress={press} shortcut={PRIMARY_KEY}>
              {task.head_commit === null ? label : `${label} ${shortHash(task.head_commit)}`}
            </SendButton>
            <Button refusal={rightToChange} onClick={() => setOpen("compose")} shortcut="R">
              Ask for changes…
            </Button>
            <Button kind="danger" refusal={right} onClick={() => setOpen("reject")}>
              Reject…
            </Button>
            <p className="note">
              Exactly this commit. Recorded as <bdi>{session?.name}</bdi>.
            </p>
          </>
        )}
      </div>
      {open === "reject" && (
        <EndDialog
          title={`Reject “${shortTitle(task)}”?`}
          action="Reject the change"
          problem="It was not rejected."
          send={reject}
          refusal={right}
          onSend={(reason) => reject.press({ reason })}
          onClose={close}
        >
          The task ends as cancelled.{" "}
          {task.change_request === null
            ? "Its branch stays on the remote."
            : `#${task.change_request.number} is closed, with your reason as a comment.`}
        </EndDialog>
      )}
    </>
  );
}

/** If the default branch has new commits, the engine checks the change again before it merges it. */
function describeMerged(task: TaskJson): string {
  return task.outcome === "merged"
    ? `Merged: ${shortTitle(task)}`
    : `Not merged yet: ${shortTitle(task)}. The default branch has new commits, so it is checked again first.`;
}

function useHasReview(id: string): boolean {
  const { data } = useApi("GET /tasks/:id/pipeline", { params: { id } }, { live: false });
  return data?.states.some(({ role }) => role === "review") ?? false;
}

function MergeProblem({ waiting: { problem } }: { waiting: WaitOf<"merge"> }) {
  if (problem === null) return null;
  return (
    <Banner kind="amber" icon={<TriangleAlert size={16} aria-hidden />}>
      <b className="strong">It was not merged automatically.</b> <span dir="auto">{problem.reason}</span>
      {problem.retry_at !== null && (
        <>
          {" "}
          It is tried again at <Time at={problem.retry_at} />.
        </>
      )}
    </Banner>
  );
}

interface NoteProps {
  readonly note: string;
  readonly setNote: (note: string) => void;
  readonly field: React.RefObject<HTMLTextAreaElement | null>;
  readonly isNoteNeeded: boolean;
  readonly isNoteMissing: boolean;
  readonly isPosted: boolean;
}

function Note({ note, setNote, field, isNoteNeeded, isNoteMissing, isPosted }: NoteProps) {
  const id = useId();
  return (
    <div className="field after">
      <label htmlFor={id}>
        {isNoteNeeded ? "Why do you merge it although the review did not approve it?" : "Note"}{" "}
        <span className="faint">{isNoteNeeded ? "needed" : "optional"}</span>
      </label>
      <textarea
        {...{ id, ref: field, value: note }}
        className="in"
        dir="auto"
        rows={2}
        maxLength={20_000}
        placeholder={isPosted ? "Posted on the change request" : "Recorded with the decision"}
        aria-required={isNoteNeeded}
        aria-invalid={isNoteMissing || undefined}
        aria-describedby={isNoteMissing ? `${id}-problem` : undefined}
        onChange={(event) => setNote(event.target.value)}
      />
      {isNoteMissing && (
        <p className="err" id={`${id}-problem`}>
          Say why it is merged anyway.
        </p>
      )}
    </div>
  );
}
