import { useState } from "react";
import { useShortcut } from "../../../app/shortcuts.ts";
import type { ReportJson } from "../../../../../src/http/client/client.ts";
import { Section } from "../../../ui/section.tsx";
import { More } from "../more.tsx";
import { ReviewRow } from "./review-row.tsx";
import { useMergeConflicts } from "./use-merge-conflicts.ts";

/** Changes that can be merged, in the order in which to read them. */
export function ReviewSection({ section: { total, tasks } }: { section: ReportJson["sections"]["review"] }) {
  const [isReversed, setReversed] = useState(false);
  const conflictsOf = useMergeConflicts(tasks);
  useShortcut({ keys: "o", label: "Turn the order of the changes round", run: () => setReversed(!isReversed) });
  const order = isReversed ? tasks.toReversed() : tasks;
  return (
    <Section
      anchor="review"
      title="To review"
      count={total}
      hint={total > 1 ? (isReversed ? "Highest risk first" : "Lowest risk first, then the shortest") : undefined}
    >
      {order.map((task) => (
        <ReviewRow key={task.id} task={task} conflicts={conflictsOf(task.id)} />
      ))}
      <More total={total} shown={tasks.length} search={{ status: "waiting" }} />
    </Section>
  );
}
