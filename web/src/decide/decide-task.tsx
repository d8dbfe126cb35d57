import { useEffect, useRef, useState } from "react";
import { DecisionContext } from "./decision-context.ts";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { useApi } from "../api/queries.ts";
import { useSession } from "../app/session.ts";
import { Button } from "../ui/button.tsx";
import { Banner, Loaded } from "../ui/state.tsx";
import { showToast } from "../ui/toast.tsx";
import { ApprovalForm } from "./approval/approval.tsx";
import { AnswersForm } from "./answers/answers.tsx";
import { AssumedAnswers } from "./answers/assumed.tsx";
import { ChoiceForm } from "./choice/choice.tsx";
import { Ago, describeDecision, useLastDecision } from "./decided.tsx";
import { MergeForm } from "./merge/merge.tsx";
import { NotWaiting } from "./not-waiting.tsx";
import { isNewVersion, isSameWait, titleOf, type Waiting } from "./wait.ts";

export interface DecideTaskProps {
  /** Id of the waiting task. */
  readonly task: string;
  /** Called after a decision was accepted, for example to open the next one. */
  readonly onDecided?: () => void;
}

/** Everything that a person needs to decide what a task waits for, with the form. Used in the inbox and on the morning page. */
export function DecideTask({ task: id, onDecided }: DecideTaskProps) {
  const query = useApi("GET /tasks/:id", { params: { id } });
  return (
    <Loaded query={query} what="The task">
      {(task) => <OpenDecision key={task.id} {...{ task, onDecided }} />}
    </Loaded>
  );
}

/** Keeps the form that a person has opened, whatever happens to the task meanwhile. */
function OpenDecision({ task, onDecided }: { task: TaskJson; onDecided: (() => void) | undefined }) {
  const [opened, setOpened] = useState(task);
  const [sent, setSent] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const waiting = opened.waiting_for;
  const isSame = waiting !== null && isSameWait(waiting, task.waiting_for);
  const isFinished = waiting === null || sent !== null;
  // Facts of the task may change while it waits, such as the state of its change request.
  const isStale = isSame ? opened !== task : isFinished && task.waiting_for !== null;
  useEffect(() => {
    if (!isStale) return;
    setOpened(task);
    if (!isSame) setSent(null);
  }, [isStale, isSame, task]);
  const changed = waiting !== null && isNewVersion(waiting, task.waiting_for) ? task.waiting_for : null;
  const hasEnded = waiting !== null && !isSame && changed === null && sent === null && !isSending;
  const last = useLastDecision(task.id, waiting?.since ?? null);
  const ended = hasEnded ? (last === null ? "The task no longer waits for this." : `${describeDecision(last)}.`) : null;

  function finish(message: string): void {
    setSent(message);
    showToast(message);
    onDecided?.();
  }

  return (
    <DecisionContext.Provider value={{ task: opened, ended, root, setSending, finish }}>
      <div className="decision" ref={root}>
        {waiting === null || sent !== null ? (
          <NotWaiting task={task} message={sent} />
        ) : (
          <>
            {hasEnded && <Ended task={task} waiting={waiting} onShow={() => setOpened(task)} />}
            <Form {...{ waiting, changed }} onSeen={() => setOpened(task)} />
          </>
        )}
        <AssumedAnswers task={task} />
      </div>
    </DecisionContext.Provider>
  );
}

interface FormProps {
  readonly waiting: Waiting;
  readonly changed: Waiting | null;
  readonly onSeen: () => void;
}

function Form({ waiting, changed, onSeen }: FormProps) {
  switch (waiting.kind) {
    case "approval":
      return <ApprovalForm changed={changed?.kind === "approval" ? changed : null} {...{ waiting, onSeen }} />;
    case "answers":
      return <AnswersForm key={waiting.since} waiting={waiting} />;
    case "choice":
      return <ChoiceForm key={waiting.since} waiting={waiting} />;
    case "review":
    case "merge":
      return <MergeForm key={waiting.since} waiting={waiting} />;
  }
}

const KEPT: Readonly<Record<Waiting["kind"], string>> = {
  approval: "Nothing was approved by you.",
  answers: "Your answers were not sent; they are still in the form.",
  choice: "Your choice was not sent; it is still in the form.",
  review: "Nothing was sent by you.",
  merge: "Nothing was merged by you.",
};

/** Somebody else decided while the form was open. */
function Ended({ task, waiting, onShow }: { task: TaskJson; waiting: Waiting; onShow: () => void }) {
  const last = useLastDecision(task.id, waiting.since);
  const session = useSession();
  // From another tab, or from this one if the daemon's answer was lost.
  const isOwn = last?.by.kind === "person" && last.by.name === session?.name;
  return (
    <Banner kind="red">
      <b className="strong">
        {last === null ? (
          "The task no longer waits for this."
        ) : (
          <>
            <bdi>{describeDecision(last)}</bdi> <Ago at={last.at} />.
          </>
        )}
      </b>{" "}
      {!isOwn && KEPT[waiting.kind]}
      {task.waiting_for !== null && (
        <p>
          <Button onClick={onShow}>{titleOf(task.waiting_for)}</Button>
        </p>
      )}
    </Banner>
  );
}
