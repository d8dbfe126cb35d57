import { useRef, useState } from "react";
import { useSession } from "../../app/session.ts";
import { useDraft } from "../../app/draft.ts";
import { findAsking, nameAgent } from "../agent-name.ts";
import { CancelButton, CancelDialog } from "../cancel.tsx";
import { shortTitle, useDecision, useDecisionRefusal } from "../decision-context.ts";
import { PRIMARY_KEY, useDecisionKey } from "../decision-keys.ts";
import { SendButton, SendProblem, useSend } from "../send.tsx";
import { answerDeadline, type WaitOf } from "../wait.ts";
import { answerProblems, type Answers, completeAnswers, defaultAnswers } from "./answers-draft.ts";
import { DeadlineBanner } from "./deadline.tsx";
import { Question } from "./question.tsx";

/** The questions of an agent. All of them are answered at once. */
export function AnswersForm({ waiting }: { waiting: WaitOf<"answers"> }) {
  const { task, ended } = useDecision();
  const session = useSession();
  const form = useRef<HTMLDivElement>(null);
  const { questions, since } = waiting;
  const [draft, setDraft, forget] = useDraft<Answers>(`decide.${task.id}.answers.${since}`, defaultAnswers(questions));
  const [isChecked, setChecked] = useState(false);
  const [isCancelling, setCancelling] = useState(false);
  const refusal = useDecisionRefusal("approve", "Answering questions");
  const send = useSend("POST /tasks/:id/answer", `Answered: ${shortTitle(task)}`, forget);
  const problems = isChecked ? answerProblems(questions, draft) : {};
  const run = findAsking(task);
  const by = run === null ? "The agent" : nameAgent(run);

  function press(): void {
    setChecked(true);
    const missing = Object.keys(answerProblems(questions, draft));
    if (missing.length === 0) return send.press({ answers: completeAnswers(questions, draft) });
    const first = questions.findIndex(({ id }) => missing.includes(id));
    form.current?.querySelectorAll<HTMLElement>(".q")[first]?.querySelector<HTMLElement>("input, textarea")?.focus();
  }
  useDecisionKey("mod+Enter", "Send the answers", refusal === null && !isCancelling ? press : null);

  return (
    <>
      <div className="body" ref={form}>
        {ended === null && <DeadlineBanner waiting={waiting} />}
        {questions.map((question, index) => (
          <Question
            key={question.id}
            {...{ question, by }}
            number={index + 1}
            deadline={answerDeadline(waiting)}
            value={draft[question.id] ?? ""}
            problem={problems[question.id]}
            onChange={(value) => setDraft({ ...draft, [question.id]: value })}
          />
        ))}
        <SendProblem send={send} title="The answers were not sent." />
      </div>
      <div className="acts">
        <SendButton kind="primary" send={send} refusal={refusal} onPress={press} shortcut={PRIMARY_KEY}>
          {questions.length === 1 ? "Send the answer" : "Send answers"}
        </SendButton>
        <CancelButton onOpen={() => setCancelling(true)} />
        <p className="note">
          Goes back to <bdi>{task.state}</bdi> with the whole exchange. Recorded as <bdi>{session?.name}</bdi>.
        </p>
      </div>
      {isCancelling && <CancelDialog onClose={() => setCancelling(false)} />}
    </>
  );
}
