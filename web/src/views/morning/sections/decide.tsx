import { Timer } from "lucide-react";
import { useState } from "react";
import { useShortcut } from "../../../app/shortcuts.ts";
import type { ReportedTaskJson, ReportJson } from "../../../../../src/http/client/client.ts";
import { DecideTask } from "../../../decide/decide-task.tsx";
import { Button } from "../../../ui/button.tsx";
import { formatDuration } from "../../../ui/format.ts";
import { Section } from "../../../ui/section.tsx";
import { Time } from "../../../ui/time.tsx";
import { useNow } from "../../../ui/use-now.ts";
import { useIsCurrent } from "../cursor.tsx";
import { More } from "../more.tsx";
import { TaskRow } from "../task-row.tsx";

type Wait = NonNullable<ReportedTaskJson["waiting_for"]>;

const WORDS: Readonly<Record<Wait, string>> = {
  approval: "approve",
  answers: "answer",
  choice: "choose",
  review: "review",
  merge: "merge",
};
const ACTIONS: Readonly<Record<Wait, string>> = {
  approval: "Read the plan",
  answers: "Answer",
  choice: "Choose",
  review: "Review",
  merge: "Decide",
};

/** What waits for an answer of the person. The first one is open, because most mornings it is the only one. */
export function DecideSection({ section: { total, tasks } }: { section: ReportJson["sections"]["decide"] }) {
  const sorted = tasks.toSorted(compareUrgency);
  const hasDeadline = tasks.some(({ deadline }) => deadline !== null);
  return (
    <Section
      anchor="decide"
      title="Decide"
      count={total}
      isYours
      hint={total > 1 ? (hasDeadline ? "Nearest deadline first" : "What waits longest first") : undefined}
    >
      {sorted.map((task, index) => (
        <DecideRow key={task.id} task={task} isFirst={index === 0} />
      ))}
      <More total={total} shown={tasks.length} search={{ status: "waiting" }} />
    </Section>
  );
}

/** The nearest deadline first, then what waits longest. */
function compareUrgency(a: ReportedTaskJson, b: ReportedTaskJson): number {
  return urgencyOf(a) < urgencyOf(b) ? -1 : 1;
}

function urgencyOf({ deadline, waiting_since: since }: ReportedTaskJson): string {
  return `${deadline ?? "never"} ${since ?? ""}`;
}

function DecideRow({ task, isFirst }: { task: ReportedTaskJson; isFirst: boolean }) {
  const [toggled, setToggled] = useState<boolean | null>(null);
  // A decision with a nearer deadline must not close the one that a person is working on.
  const [wasFirst, setWasFirst] = useState(isFirst);
  if (isFirst && !wasFirst) setWasFirst(true);
  const isOpen = toggled ?? wasFirst;
  const isCurrent = useIsCurrent(task.id);
  const wait = task.waiting_for;
  useShortcut(isCurrent ? { keys: "e", label: "Open or close this decision", run: () => setToggled(!isOpen) } : null);
  return (
    <TaskRow
      task={task}
      glyph="waiting"
      {...(isOpen && { form: <DecideTask task={task.id} /> })}
      facts={[
        wait === null ? null : `to ${WORDS[wait]}`,
        task.waiting_since !== null && (
          <>
            since <Time at={task.waiting_since} />
          </>
        ),
      ]}
      actions={
        <>
          <Deadline task={task} />
          <Button size="small" aria-expanded={isOpen} onClick={() => setToggled(!isOpen)}>
            {isOpen ? "Close" : wait === null ? "Open" : ACTIONS[wait]}
          </Button>
        </>
      }
    >
      {!isOpen && task.reason !== null && (
        <p className="said" dir="auto">
          {task.reason}
        </p>
      )}
    </TaskRow>
  );
}

function Deadline({ task: { deadline, waiting_for: wait } }: { task: ReportedTaskJson }) {
  const now = useNow();
  if (wait !== "answers") return null;
  if (deadline === null) return <span className="faint nowrap">No deadline</span>;
  const left = Date.parse(deadline) - now;
  return (
    <span className="dl">
      <Timer size={14} aria-hidden />
      <span>
        Default at <Time at={deadline} />
        {left > 0 && `, in ${formatDuration(left)}`}
      </span>
    </span>
  );
}
