import { useId, useState } from "react";
import { REASON_KINDS, type ReasonKind } from "../../../../src/core/nightly/proposal.ts";
import { REASON_WORDS } from "../../../../src/core/nightly/rule.ts";
import type { ProposalJson } from "../../../../src/http/client/client.ts";
import { useAction } from "../../api/actions.ts";
import { useDraft } from "../../app/draft.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBanner } from "../../ui/state.tsx";
import { showToast } from "../../ui/toast.tsx";

const MAX_TEXT = 300;

/** Why a proposal was rejected. It becomes a rule. */
export function ReasonDialog({ proposal, onClose }: { proposal: ProposalJson; onClose: () => void }) {
  const [kind, setKind] = useState<ReasonKind | null>(null);
  const [text, setText, clear] = useDraft(`reason.${proposal.id}`, "");
  const give = useAction("POST /proposals/:id/reason");
  const id = useId();
  const send = async (): Promise<void> => {
    if (kind === null) return;
    if ((await give.run({ params: { id: proposal.id }, body: { kind, text: text.trim() } })) === null) return;
    clear();
    onClose();
    showToast("Recorded the reason, and added a rule from it.");
  };
  return (
    <Dialog
      title="Why is it not wanted?"
      onClose={onClose}
      actions={
        <>
          <Button
            kind="primary"
            isBusy={give.isBusy}
            refusal={kind === null ? "Choose a reason." : null}
            onClick={() => void send()}
          >
            Record the reason
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <p className="muted" dir="auto">
        {proposal.title}
      </p>
      <fieldset className="reasons">
        <legend className="sr">Reason</legend>
        {REASON_KINDS.map((each) => (
          <label key={each} className="flex">
            <input type="radio" name={id} checked={kind === each} onChange={() => setKind(each)} />
            {REASON_WORDS[each]}
          </label>
        ))}
      </fieldset>
      <div className="field">
        <label htmlFor={id}>In your words, optional</label>
        <textarea
          id={id}
          className="in"
          rows={2}
          maxLength={MAX_TEXT}
          value={text}
          dir="auto"
          onChange={({ target }) => setText(target.value)}
        />
        <p className="hint">Later analyses read it as a rule.</p>
      </div>
      {give.error !== null && <ErrorBanner title="The reason was not recorded." error={give.error} />}
    </Dialog>
  );
}
