import { Hourglass, Timer } from "lucide-react";
import { formatDuration, formatFullTime, formatTime } from "../../ui/format.ts";
import { Banner } from "../../ui/state.tsx";
import { useNow } from "../../ui/use-now.ts";
import { answerDeadline, type QuestionJson, type WaitOf } from "../wait.ts";
import { withoutDefault } from "./answers-draft.ts";

/** What happens if nobody answers. */
export function DeadlineBanner({ waiting }: { waiting: WaitOf<"answers"> }) {
  const now = useNow();
  const deadline = answerDeadline(waiting);
  const { questions } = waiting;
  if (deadline !== null) {
    const left = Date.parse(deadline) - now;
    return (
      <Banner kind="amber" icon={<Timer size={16} aria-hidden />}>
        <b className="strong">
          Until{" "}
          <time dateTime={deadline} title={formatFullTime(deadline)}>
            {formatTime(deadline, now)}
          </time>
          {left > 0 && `, in ${formatDuration(Math.ceil(left / 60_000) * 60_000)}`}.
        </b>{" "}
        Then {questions.length === 1 ? "the default is" : `the ${questions.length} defaults are`} taken and recorded as
        assumed. You can change an assumed answer later.
      </Banner>
    );
  }
  const open = withoutDefault(questions);
  const deadlines = questions.flatMap(({ deadline: time }) => time ?? []);
  if (deadlines.length === 0 || open.length === 0) return null;
  return (
    <Banner kind="amber" icon={<Hourglass size={16} aria-hidden />}>
      <b className="strong">
        {open.length === 1 ? "Question" : "Questions"} {open.join(" and ")} {open.length === 1 ? "has" : "have"} no
        default.
      </b>{" "}
      The task keeps waiting for you, also after {formatTime(deadlines.toSorted()[0] ?? "", now)}, the deadline of the
      others.
    </Banner>
  );
}

/** The line below a question: what is taken if nobody answers. */
export function Otherwise({ question, deadline }: { question: QuestionJson; deadline: string | null }) {
  const now = useNow();
  const standard = question.default;
  if (standard === null)
    return (
      <p className="else">
        <Hourglass size={14} aria-hidden /> <span>No default</span>
      </p>
    );
  return (
    <p className="else">
      <Timer size={14} aria-hidden />
      <span>
        {deadline === null ? "Default" : `If nobody answers by ${formatTime(deadline, now)}`}:{" "}
        <b dir="auto">{labelOf(question, standard)}</b>
      </span>
    </p>
  );
}

/** Yes and no are words of the page, other options are as the agent wrote them. */
export function labelOf({ input }: Pick<QuestionJson, "input">, option: string): string {
  if (input !== "boolean") return option;
  return option === "yes" ? "Yes" : "No";
}
