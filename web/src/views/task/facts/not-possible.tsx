import { explainActions } from "../../../../../src/core/pipeline/explain-actions.ts";
import { explainApply, explainRunRole } from "../../../../../src/core/pipeline/explain-idle-actions.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { factsOf } from "../../../act/task-facts.ts";
import { idleFactsOf } from "../task-facts.ts";
import { capitalize } from "../../../ui/format.ts";

/** Answers to something that the task does not ask for are not worth a line. */
const SHOWN = ["pause", "resume", "cancel", "kill", "retry", "follow-up", "delete"];

/** Each action that is disabled above, with the reason. */
export function NotPossible({ task }: { task: TaskJson }) {
  const groups = groupByReason(task);
  if (groups.size === 0) return null;
  return (
    <>
      <h2>Not possible now</h2>
      <ul className="hint">
        {[...groups].map(([reason, names]) => {
          const words = names.join(", ");
          return (
            <li key={reason}>
              {capitalize(words)}: {reason}.
            </li>
          );
        })}
      </ul>
    </>
  );
}

function groupByReason(task: TaskJson): ReadonlyMap<string, readonly string[]> {
  const idle = idleFactsOf(task);
  const explained = [
    ...explainActions(task.status, factsOf(task)).filter(({ name }) => SHOWN.includes(name)),
    { name: "run a role", refusal: explainRunRole(task.status, idle) },
    { name: "apply", refusal: explainApply(task.status, idle) },
  ];
  const groups = new Map<string, string[]>();
  for (const { name, refusal } of explained)
    if (refusal !== null) groups.set(refusal, [...(groups.get(refusal) ?? []), name.replace("follow-up", "follow up")]);
  return groups;
}
