import { Ellipsis, Plus } from "lucide-react";
import { useState } from "react";
import type { RuleJson } from "../../../../src/http/client/client.ts";
import { useAction } from "../../api/actions.ts";
import { useApi } from "../../api/queries.ts";
import { useRefusal } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { formatDay } from "../../ui/format.ts";
import { Menu } from "../../ui/menu.tsx";
import { Section } from "../../ui/section.tsx";
import { ErrorBanner, Loaded } from "../../ui/state.tsx";
import { showToast } from "../../ui/toast.tsx";
import { RuleDialog } from "./rule-dialog.tsx";

/** What analyses have to respect. */
export function Rules({ project }: { project: string }) {
  const rules = useApi("GET /rules", { query: { project } });
  const refusal = useRefusal("approve", "Changing rules");
  const [isAdding, setAdding] = useState(false);
  return (
    <Section title="Rules" count={rules.data?.rules.length ?? 0} hint="What analyses respect">
      <Loaded query={rules} what="The rules">
        {({ rules: found }) => (
          <>
            {found.length === 0 && (
              <p className="hint">No rules yet. A rule is a sentence that nightly analyses respect until it expires.</p>
            )}
            {found.map((rule) => (
              <RuleRow key={rule.id} rule={rule} refusal={refusal} />
            ))}
          </>
        )}
      </Loaded>
      <p className="try-now">
        <Button size="small" refusal={refusal} onClick={() => setAdding(true)}>
          <Plus size={14} aria-hidden />
          Add a rule
        </Button>
      </p>
      {isAdding && <RuleDialog project={project} rule={null} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function RuleRow({ rule, refusal }: { rule: RuleJson; refusal: string | null }) {
  const [open, setOpen] = useState<"edit" | "remove" | null>(null);
  const change = useAction("POST /rules/:id");
  const expire = async (): Promise<void> => {
    const body = { expires_at: new Date().toISOString() };
    if ((await change.run({ params: { id: rule.id }, body })) !== null) showToast("The rule no longer applies.");
  };
  return (
    <div className="row plain rule">
      <div>
        <div className="t" dir="auto">
          {rule.text}
        </div>
        <div className="m" dir="auto">
          {rule.by}, {formatDay(rule.created_at)}
          {rule.proposal !== null && ", from a rejected proposal"}
        </div>
        {change.error !== null && <ErrorBanner title="The rule was not changed." error={change.error} />}
      </div>
      <div className="rt faint nowrap">
        {rule.expires_at === null ? "does not expire" : `until ${formatDay(rule.expires_at)}`}
      </div>
      <Menu
        label={`Change the rule: ${rule.text.slice(0, 60)}`}
        items={() => [
          { id: "edit", label: "Edit…", refusal, run: () => setOpen("edit") },
          { id: "expire", label: "End it now", refusal, run: () => void expire() },
          { id: "remove", label: "Remove…", refusal, isDanger: true, run: () => setOpen("remove") },
        ]}
      >
        <Ellipsis size={16} aria-hidden />
      </Menu>
      {open === "edit" && <RuleDialog project={rule.project} rule={rule} onClose={() => setOpen(null)} />}
      {open === "remove" && <RemoveRule rule={rule} onClose={() => setOpen(null)} />}
    </div>
  );
}

function RemoveRule({ rule, onClose }: { rule: RuleJson; onClose: () => void }) {
  const remove = useAction("DELETE /rules/:id");
  const run = async (): Promise<void> => {
    if ((await remove.run({ params: { id: rule.id } })) === null) return;
    onClose();
    showToast("Removed the rule.");
  };
  return (
    <ConfirmDialog
      title="Remove this rule?"
      action="Remove"
      isBusy={remove.isBusy}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p dir="auto">“{rule.text}”</p>
      <p>Analyses no longer respect it. To keep it in the list of expired rules, end it instead.</p>
      {remove.error !== null && <ErrorBanner title="It was not removed." error={remove.error} />}
    </ConfirmDialog>
  );
}
