import { useId, useState } from "react";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { useAction } from "../../api/actions.ts";
import { useRefusal } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorBanner } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { QuestionJson } from "../wait.ts";
import { labelOf } from "./deadline.tsx";

type Assumed = TaskJson["assumed"][number];

/** Answers that were taken by default at a deadline. A person can keep or change each of them. */
export function AssumedAnswers({ task }: { task: TaskJson }) {
  const id = useId();
  if (task.assumed.length === 0) return null;
  return (
    <section className="assumed" aria-labelledby={id}>
      <h2 className="lab" id={id}>
        Assumed, because nobody answered in time
      </h2>
      {task.assumed.map((each) => (
        <AssumedAnswer key={`${each.state} ${each.question} ${each.at}`} {...{ task, assumed: each }} />
      ))}
    </section>
  );
}

function AssumedAnswer({ task, assumed }: { task: TaskJson; assumed: Assumed }) {
  const [isOpen, setOpen] = useState(false);
  const question = findQuestion(task, assumed);
  const [answer, setAnswer] = useState(assumed.answer);
  const action = useAction("POST /tasks/:id/answer");
  const refusal = useRefusal("approve", "Answering questions");
  async function send(): Promise<void> {
    const reply = await action.run({ params: { id: task.id }, body: { answers: { [assumed.question]: answer } } });
    if (reply === null) return;
    setOpen(false);
    showToast(answer === assumed.answer ? "The assumed answer was kept." : "The task starts again with your answer.");
  }
  const isChanged = answer.trim() !== assumed.answer;
  return (
    <div className="q">
      <p className="lab" dir="auto">
        {assumed.text}
      </p>
      <p>
        <b dir="auto">{question === null ? assumed.answer : labelOf(question, assumed.answer)}</b>{" "}
        <span className="faint">
          in <bdi>{assumed.state}</bdi>, <Time at={assumed.at} />
        </span>
      </p>
      {isOpen && question !== null && <Answers {...{ question, answer, setAnswer }} />}
      {action.error !== null && <ErrorBanner title="The answer was not changed." error={action.error} />}
      <div className="flex wrap">
        {isOpen ? (
          <>
            <Button
              isBusy={action.isBusy}
              refusal={refusal ?? (isChanged ? null : "Choose another answer first.")}
              onClick={() => void send()}
            >
              Change the answer
            </Button>
            <Button kind="quiet" onClick={() => setOpen(false)}>
              Back
            </Button>
            <span className="hint">
              What was made with the old answer is kept, and the task goes back to {assumed.state}.
            </span>
          </>
        ) : (
          <>
            <Button size="small" refusal={refusal} isBusy={action.isBusy} onClick={() => void send()}>
              Keep it
            </Button>
            <Button size="small" refusal={refusal} onClick={() => setOpen(true)}>
              Change…
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

interface AnswersProps {
  readonly question: QuestionJson;
  readonly answer: string;
  readonly setAnswer: (answer: string) => void;
}

function Answers({ question, answer, setAnswer }: AnswersProps) {
  const id = useId();
  if (question.input === "text")
    return (
      <div className="field">
        <label htmlFor={id}>Another answer</label>
        <textarea
          id={id}
          className="in"
          dir="auto"
          rows={2}
          value={answer}
          onChange={(event) => setAnswer(event.target.value)}
        />
      </div>
    );
  return (
    <fieldset>
      <legend className="sr">Another answer</legend>
      {question.options.map((option) => (
        <label className="choice" key={option}>
          <input type="radio" name={id} checked={answer === option} onChange={() => setAnswer(option)} />
          <span dir="auto">{labelOf(question, option)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function findQuestion({ conversation }: TaskJson, { question, state }: Assumed): QuestionJson | null {
  const exchange = conversation.findLast((each) => each.state === state && each.assumed.includes(question));
  const asked = exchange?.asked.find((each) => each.id === question);
  return asked !== undefined && "question" in asked ? asked : null;
}
