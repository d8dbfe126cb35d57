import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useDraft } from "../app/draft.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useDecision } from "./decision-context.ts";
import { PRIMARY_KEY } from "./decision-keys.ts";
import { SendButton, SendProblem } from "./send.tsx";

interface Sending {
  readonly isBusy: boolean;
  readonly isQueued: boolean;
  readonly error: Error | null;
}

interface ComposeProps {
  readonly label: string;
  readonly placeholder: string;
  /** Name of the draft, which survives a reload. */
  readonly draft: string;
  readonly action: string;
  readonly problem: string;
  readonly refusal: string | null;
  readonly send: Sending;
  readonly onSend: (text: string) => void;
  readonly onClose: () => void;
}

/** A text that is sent from the foot of the decision, so that the plan or change above it stays readable. */
export function Compose({ label, placeholder, draft, action, problem, refusal, send, onSend, onClose }: ComposeProps) {
  const { task } = useDecision();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useDraft(`decide.${task.id}.${draft}`, "");
  const [isMissing, setMissing] = useState(false);
  useEffect(() => field.current?.focus(), []);
  function submit(): void {
    if (refusal !== null || send.isBusy || send.isQueued) return;
    setMissing(text.trim() === "");
    if (text.trim() === "") field.current?.focus();
    else onSend(text.trim());
  }
  return (
    <div className="compose field">
      <label htmlFor={id}>{label}</label>
      <textarea
        {...{ id, placeholder }}
        ref={field}
        className="in"
        dir="auto"
        rows={3}
        maxLength={20_000}
        value={text}
        aria-invalid={isMissing || undefined}
        aria-describedby={isMissing ? `${id}-problem` : undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          else if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
          else submit();
          event.preventDefault();
        }}
      />
      {isMissing && (
        <p className="err" id={`${id}-problem`}>
          Write what should be different.
        </p>
      )}
      <SendProblem send={send} title={problem} />
      <div className="flex wrap">
        <SendButton kind="primary" send={send} refusal={refusal} onPress={submit} shortcut={PRIMARY_KEY}>
          {action}
        </SendButton>
        <Button kind="quiet" onClick={onClose}>
          Back
        </Button>
      </div>
    </div>
  );
}

/** Forgets a text after it was sent. */
export function useForgetDraft(draft: string): () => void {
  const { task } = useDecision();
  const [, , forget] = useDraft(`decide.${task.id}.${draft}`, "");
  return forget;
}

interface EndDialogProps {
  readonly title: string;
  /** What ends and what is kept. */
  readonly children: ReactNode;
  readonly action: string;
  readonly problem: string;
  readonly send: Sending;
  readonly refusal: string | null;
  /** False if the engine does not keep a reason. */
  readonly hasReason?: boolean;
  readonly onSend: (reason: string | null) => void;
  readonly onClose: () => void;
}

/** Asks before a task ends, with an optional reason. */
export function EndDialog({ title, children, action, problem, send, refusal, ...rest }: EndDialogProps) {
  const { hasReason = true, onSend, onClose } = rest;
  const { task } = useDecision();
  const id = useId();
  const [reason, setReason] = useDraft(`decide.${task.id}.reason`, "");
  return (
    <Dialog
      {...{ title, onClose }}
      actions={
        <>
          <SendButton
            kind="danger"
            {...{ send, refusal }}
            onPress={() => onSend(reason.trim() === "" ? null : reason.trim())}
          >
            {action}
          </SendButton>
          <Button kind="quiet" onClick={onClose}>
            Keep it
          </Button>
        </>
      }
    >
      <div className="prose">{children}</div>
      {hasReason && (
        <div className="field">
          <label htmlFor={id}>
            Reason <span className="faint">optional</span>
          </label>
          <textarea
            id={id}
            className="in"
            dir="auto"
            rows={3}
            maxLength={20_000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </div>
      )}
      <SendProblem send={send} title={problem} />
    </Dialog>
  );
}
