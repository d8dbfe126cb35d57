import { useId, useState } from "react";
import { useAction } from "../../../api/actions.ts";
import { useRefusal } from "../../../app/session.ts";
import { useShortcut } from "../../../app/shortcuts.ts";
import type { ReportedTaskJson } from "../../../../../src/http/client/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorBanner } from "../../../ui/state.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useIsCurrent } from "../cursor.tsx";

/** Reasons of a risk with which the engine asks for a note. */
const UNREVIEWED = ["was not reviewed", "the review asks for changes"];

/** Merges a change. If no review vouches for it, the person says first why it is merged anyway. */
export function MergeButton({ task }: { task: ReportedTaskJson }) {
  const merge = useAction("POST /tasks/:id/merge");
  const refusal = useRefusal("approve", "Merging a change");
  const isCurrent = useIsCurrent(task.id);
  const [isAsking, setAsking] = useState(false);
  const unreviewed = task.change?.risk.reasons.filter((reason) => UNREVIEWED.includes(reason)) ?? [];

  async function send(note: string | null): Promise<void> {
    const merged = await merge.run({ params: { id: task.id }, body: { note } });
    if (merged !== null) showToast(`Merged “${task.title}”.`);
    else if (note === null) setAsking(true);
  }

  function start(): void {
    if (unreviewed.length > 0) setAsking(true);
    else void send(null);
  }

  useShortcut(
    isCurrent && refusal === null && !isAsking ? { keys: "m", label: "Merge this change", run: start } : null,
  );
  return (
    <>
      <Button
        size="small"
        isBusy={merge.isBusy && !isAsking}
        refusal={refusal}
        aria-label={`Merge “${task.title}”`}
        onClick={start}
      >
        Merge
      </Button>
      {isAsking && (
        <MergeDialog
          task={task}
          why={unreviewed}
          error={merge.error}
          isBusy={merge.isBusy}
          onMerge={(note) => void send(note)}
          onClose={() => {
            setAsking(false);
            merge.reset();
          }}
        />
      )}
    </>
  );
}

interface MergeDialogProps {
  readonly task: ReportedTaskJson;
  readonly why: readonly string[];
  readonly error: Error | null;
  readonly isBusy: boolean;
  readonly onMerge: (note: string) => void;
  readonly onClose: () => void;
}

function MergeDialog({ task, why, error, isBusy, onMerge, onClose }: MergeDialogProps) {
  const [note, setNote] = useState("");
  const id = useId();
  const isEmpty = note.trim() === "";
  return (
    <Dialog
      title={`Merge “${task.title}”?`}
      onClose={onClose}
      actions={
        <>
          <Button
            kind="primary"
            isBusy={isBusy}
            refusal={isEmpty ? "Say first why it is merged." : null}
            onClick={() => onMerge(note.trim())}
          >
            Merge
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Keep it open
          </Button>
        </>
      }
    >
      {error !== null && <ErrorBanner title="It was not merged." error={error} />}
      {why.length > 0 && <p className="muted">This change {why.join(" and ")}. Say why it is merged anyway.</p>}
      <div className="field">
        <label htmlFor={id}>Why it is merged</label>
        <textarea
          id={id}
          className="in"
          rows={3}
          dir="auto"
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
      </div>
    </Dialog>
  );
}
