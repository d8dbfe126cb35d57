import { useId, useState } from "react";
import type { RuleJson } from "../../../../src/http/client/client.ts";
import { useAction } from "../../api/actions.ts";
import { useDraft } from "../../app/draft.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatDay } from "../../ui/format.ts";
import { ErrorBanner } from "../../ui/state.tsx";
import { showToast } from "../../ui/toast.tsx";

const DAY_MS = 86_400_000;
const MAX_TEXT = 500;
const PERIODS = [
  { value: "30", label: "in 30 days" },
  { value: "90", label: "in 90 days" },
  { value: "180", label: "in 180 days" },
  { value: "365", label: "in a year" },
  { value: "never", label: "never" },
] as const;

export interface RuleDialogProps {
  readonly project: string;
  /** Null adds a rule. */
  readonly rule: RuleJson | null;
  readonly onClose: () => void;
}

export function RuleDialog({ project, rule, onClose }: RuleDialogProps) {
  const [text, setText, clear] = useDraft(`rule.${rule?.id ?? project}`, rule?.text ?? "");
  const [expiry, setExpiry] = useState(rule === null ? "180" : "keep");
  const add = useAction("POST /rules");
  const change = useAction("POST /rules/:id");
  const action = rule === null ? add : change;
  const id = useId();
  const save = async (): Promise<void> => {
    const body = { text: text.trim(), ...expiresAt(expiry) };
    const saved = await (rule === null
      ? add.run({ body: { project, ...body } })
      : change.run({ params: { id: rule.id }, body }));
    if (saved === null) return;
    clear();
    onClose();
    showToast(rule === null ? "Added the rule." : "Changed the rule.");
  };
  return (
    <Dialog
      title={rule === null ? "Add a rule" : "Edit the rule"}
      onClose={onClose}
      actions={
        <>
          <Button
            kind="primary"
            isBusy={action.isBusy}
            refusal={text.trim() === "" ? "Write one sentence." : null}
            onClick={() => void save()}
          >
            {rule === null ? "Add" : "Save"}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="field">
        <label htmlFor={id}>What analyses respect</label>
        <textarea
          id={id}
          className="in"
          rows={3}
          maxLength={MAX_TEXT}
          value={text}
          dir="auto"
          autoFocus
          onChange={({ target }) => setText(target.value)}
        />
        <p className="hint">One sentence, such as “Do not touch the old importer, it is removed in March”.</p>
      </div>
      <div className="field">
        <label htmlFor={`${id}-expiry`}>Expires</label>
        <select id={`${id}-expiry`} className="in" value={expiry} onChange={({ target }) => setExpiry(target.value)}>
          {rule !== null && <option value="keep">{describeExpiry(rule)}</option>}
          {PERIODS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {action.error !== null && <ErrorBanner title="The rule was not saved." error={action.error} />}
    </Dialog>
  );
}

function describeExpiry({ expires_at: at }: RuleJson): string {
  return at === null ? "never, as now" : `on ${formatDay(at)}, as now`;
}

/** Nothing keeps the present expiry. */
function expiresAt(expiry: string): { readonly expires_at?: string | null } {
  if (expiry === "keep") return {};
  if (expiry === "never") return { expires_at: null };
  return { expires_at: new Date(Date.now() + Number(expiry) * DAY_MS).toISOString() };
}
