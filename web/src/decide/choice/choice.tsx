import { useId, useRef, useState } from "react";
import { needsNote } from "../../../../src/core/task/needs-note.ts";
import { Link } from "@tanstack/react-router";
import { useDraft } from "../../app/draft.ts";
import { useSession } from "../../app/session.ts";
import { Markdown } from "../../ui/markdown.tsx";
import { Voice } from "../../ui/voice.tsx";
import { findAsking, nameAgent } from "../agent-name.ts";
import { CancelButton, CancelDialog } from "../cancel.tsx";
import { shortTitle, useDecision, useDecisionRefusal } from "../decision-context.ts";
import { PRIMARY_KEY, useDecisionKey } from "../decision-keys.ts";
import { SendButton, SendProblem, useSend } from "../send.tsx";
import type { WaitOf } from "../wait.ts";
import { OptionRow } from "./option-row.tsx";

type Choice = WaitOf<"choice">;
type Next = Choice["next_steps"][number];

interface Draft {
  readonly option: string | null;
  readonly note: string;
  readonly then: Next | null;
}

/** One of several ways to go on, proposed by an agent or by the pipeline. */
export function ChoiceForm({ waiting }: { waiting: Choice }) {
  const { task } = useDecision();
  const session = useSession();
  const noteId = useId();
  const group = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const { options, about, since, next_steps: steps } = waiting;
  const [draft, setDraft, forget] = useDraft<Draft>(`decide.${task.id}.choice.${since}`, {
    option: options.find(({ recommended }) => recommended)?.id ?? null,
    note: "",
    then: steps[0] ?? null,
  });
  const [isChecked, setChecked] = useState(false);
  const [isCancelling, setCancelling] = useState(false);
  const refusal = useDecisionRefusal("approve", "Choosing an option");
  const send = useSend("POST /tasks/:id/choose", `Decided: ${shortTitle(task)}`, forget);
  const number = options.findIndex(({ id }) => id === draft.option) + 1;
  const isNoteNeeded = draft.option !== null && needsNote({ about, state: task.state }, draft.option);
  const isNoteMissing = isChecked && isNoteNeeded && draft.note.trim() === "";

  function press(): void {
    setChecked(true);
    if (draft.option === null) return;
    if (isNoteNeeded && draft.note.trim() === "") return field.current?.focus();
    const note = draft.note.trim();
    send.press({ option: draft.option, note: note === "" ? null : note, then: steps.length > 0 ? draft.then : null });
  }
  const nothingChosen = draft.option === null ? "Choose one of the options first." : null;
  useDecisionKey("mod+Enter", "Choose this way", refusal === null && !isCancelling ? press : null);

  return (
    <>
      <div className="body">
        <Reason waiting={waiting} />
        <fieldset>
          <legend className="sr">Ways to go on</legend>
          {options.map((option, index) => (
            <NumberedRow
              key={option.id}
              {...{ option, number: index + 1, name: group, isFromAgent: about === null || about === "fix" }}
              isChosen={option.id === draft.option}
              onChoose={() => setDraft({ ...draft, option: option.id })}
            />
          ))}
        </fieldset>
        {steps.length > 1 && (
          <NextStep steps={steps} value={draft.then} onChange={(then) => setDraft({ ...draft, then })} />
        )}
        <div className="field after">
          <label htmlFor={noteId}>
            Note to the agent <span className="faint">{isNoteNeeded ? "needed" : "optional"}</span>
          </label>
          <textarea
            id={noteId}
            ref={field}
            className="in"
            dir="auto"
            rows={2}
            maxLength={20_000}
            value={draft.note}
            placeholder={isNoteNeeded ? "Why this is right" : "Anything it should keep in mind"}
            aria-required={isNoteNeeded}
            aria-invalid={isNoteMissing || undefined}
            aria-describedby={isNoteMissing ? `${noteId}-problem` : undefined}
            onChange={(event) => setDraft({ ...draft, note: event.target.value })}
          />
          {isNoteMissing && (
            <p className="err" id={`${noteId}-problem`}>
              Say why. The change request shows it.
            </p>
          )}
        </div>
        <SendProblem send={send} title="The choice was not sent." />
      </div>
      <div className="acts">
        <SendButton
          kind="primary"
          send={send}
          refusal={refusal ?? nothingChosen}
          onPress={press}
          shortcut={PRIMARY_KEY}
        >
          {number === 0 ? "Choose" : `Choose ${number}`}
        </SendButton>
        <CancelButton onOpen={() => setCancelling(true)} />
        <p className="note">
          {describeNext(draft.then, steps)}Recorded as <bdi>{session?.name}</bdi>.
        </p>
      </div>
      {isCancelling && <CancelDialog onClose={() => setCancelling(false)} />}
    </>
  );
}

function describeNext(then: Next | null, steps: readonly Next[]): string {
  if (steps.length === 0) return "";
  return then === "implement"
    ? "Goes on with implementing, without a plan. "
    : "Goes on with planning. Nothing is changed before that. ";
}

function NumberedRow(props: Parameters<typeof OptionRow>[0]) {
  const { number, option, onChoose } = props;
  useDecisionKey(String(number), `Choose ${option.title}`, number <= 9 ? onChoose : null);
  return <OptionRow {...props} />;
}

/** Why a person is asked, in the words of the agent or of the engine. */
function Reason({ waiting: { about, reason } }: { waiting: Choice }) {
  const { task } = useDecision();
  const run = findAsking(task);
  if (reason.trim() === "") return null;
  if (about !== null && about !== "fix")
    return (
      <section className="asked">
        <h2 className="lab faint">Why you are asked</h2>
        <p className="said" dir="auto">
          {reason}
        </p>
      </section>
    );
  const hasReport = task.documents.some(({ kind }) => kind === "report");
  return (
    <section className="asked">
      <Voice by={`${run === null ? "The agent" : nameAgent(run)} wrote, as its summary`}>
        <Markdown text={reason} />
        {hasReport && (
          <Link className="link" to="/tasks/$id/$tab" params={{ id: task.id, tab: "plan" }}>
            Whole report
          </Link>
        )}
      </Voice>
    </section>
  );
}

const STEP_WORDS: Readonly<Record<Next, string>> = { plan: "Plan it first", implement: "Implement it directly" };

interface NextStepProps {
  readonly steps: readonly Next[];
  readonly value: Next | null;
  readonly onChange: (step: Next) => void;
}

function NextStep({ steps, value, onChange }: NextStepProps) {
  const name = useId();
  return (
    <fieldset className="q after">
      <legend>Then</legend>
      <div className="choices across">
        {steps.map((step) => (
          <label className="choice" key={step}>
            <input type="radio" name={name} checked={value === step} onChange={() => onChange(step)} />
            <span>{STEP_WORDS[step]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
