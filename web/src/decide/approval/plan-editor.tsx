import { type ReactNode, useId, useState } from "react";
import type { DocumentJson } from "../../../../src/http/client/client.ts";
import { useDraft } from "../../app/draft.ts";
import { Button } from "../../ui/button.tsx";
import { shortTitle, useDecision } from "../decision-context.ts";
import { PRIMARY_KEY, useDecisionKey } from "../decision-keys.ts";
import { SendButton, SendProblem, useSend } from "../send.tsx";
import { draftProblems, type PlanDraft, toDraft, toPlan } from "./edited-plan.ts";

interface PlanEditorProps {
  readonly document: DocumentJson;
  readonly refusal: string | null;
  readonly onClose: () => void;
}

/** A staged plan that a person changes and approves in one step. The engine examines it like the plan of an agent. */
export function PlanEditor({ document, refusal, onClose }: PlanEditorProps) {
  const { task } = useDecision();
  const [draft, setDraft, forget] = useDraft(`decide.${task.id}.plan.${document.hash}`, toDraft(document.content));
  const [isSubmitted, setSubmitted] = useState(false);
  const approve = useSend("POST /tasks/:id/approve", `Edited and approved: ${shortTitle(task)}`, forget);
  const problems = isSubmitted ? draftProblems(draft) : {};
  const change = (part: Partial<PlanDraft>): void => setDraft({ ...draft, ...part });
  function press(): void {
    setSubmitted(true);
    if (Object.keys(draftProblems(draft)).length > 0) return;
    approve.press({ plan_hash: document.hash, plan: toPlan(document.content, draft) });
  }
  useDecisionKey("mod+Enter", "Approve the edited plan", refusal === null ? press : null);
  const lines = (name: "tools" | "directories" | "network" | "added_directories", label: string, hint: string) => (
    <Field label={label} hint={hint}>
      {(access) => (
        <textarea
          {...access}
          className="in mono"
          dir="auto"
          rows={Math.min(8, Math.max(2, draft[name].split("\n").length))}
          value={draft[name]}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  const amount = (name: "minutes" | "usd", label: string) => (
    <Field label={label} problem={problems[name]}>
      {(access) => (
        <input
          {...access}
          className="in"
          inputMode="decimal"
          value={draft[name]}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      <div className="body plan-editor">
        <h2 className="lab">Edit the plan</h2>
        <Field label="Prompt" problem={problems.prompt}>
          {(access) => (
            <textarea
              {...access}
              className="in mono"
              dir="auto"
              rows={12}
              value={draft.prompt}
              onChange={(event) => change({ prompt: event.target.value })}
            />
          )}
        </Field>
        <Field label="System prompt" hint="Optional.">
          {(access) => (
            <textarea
              {...access}
              className="in mono"
              dir="auto"
              rows={2}
              value={draft.system_prompt}
              onChange={(event) => change({ system_prompt: event.target.value })}
            />
          )}
        </Field>
        {lines("tools", "Tools", "One per line.")}
        <Programs draft={draft} onChange={change} />
        {lines(
          "directories",
          "May write",
          "One directory per line, relative to the project or absolute. Empty: it only reads.",
        )}
        {lines("added_directories", "May also write", "Added when the task was submitted, by --allow-dir.")}
        {lines("network", "Network", "One host per line. Empty: no network.")}
        <label className="flex">
          <input
            type="checkbox"
            checked={draft.needs_git}
            onChange={(event) => change({ needs_git: event.target.checked })}
          />
          It may commit and push its own branch
        </label>
        <div className="pair">
          {amount("minutes", "Limit in minutes")}
          {amount("usd", "Limit in US dollars")}
        </div>
        <SendProblem send={approve} title="The plan was not approved." />
      </div>
      <div className="acts">
        <SendButton kind="primary" send={approve} refusal={refusal} onPress={press} shortcut={PRIMARY_KEY}>
          Approve the edited plan
        </SendButton>
        <Button onClick={onClose}>Back</Button>
        <Button
          kind="quiet"
          onClick={() => {
            forget();
            onClose();
          }}
        >
          Discard the changes
        </Button>
        <p className="note">The engine checks it first. It becomes a new version of the plan, with your name.</p>
      </div>
    </>
  );
}

function Programs({ draft, onChange }: { draft: PlanDraft; onChange: (part: Partial<PlanDraft>) => void }) {
  return (
    <>
      <label className="flex">
        <input
          type="checkbox"
          checked={draft.commands === null}
          onChange={(event) => onChange({ commands: event.target.checked ? null : "" })}
        />
        Every program that the project allows
      </label>
      {draft.commands !== null && (
        <Field label="Programs" hint="One per line. Empty: none.">
          {(access) => (
            <textarea
              {...access}
              className="in mono"
              dir="auto"
              rows={3}
              value={draft.commands ?? ""}
              onChange={(event) => onChange({ commands: event.target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}

interface Access {
  readonly id: string;
  readonly "aria-invalid": true | undefined;
  readonly "aria-describedby": string | undefined;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly problem?: string | undefined;
  readonly children: (access: Access) => ReactNode;
}

function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const isWrong = problem !== undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-invalid": isWrong || undefined,
        "aria-describedby": isWrong || hint !== undefined ? `${id}-hint` : undefined,
      })}
      {(isWrong || hint !== undefined) && (
        <p id={`${id}-hint`} className={isWrong ? "err" : "hint"}>
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}
