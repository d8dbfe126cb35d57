import { Circle, CircleCheck } from "lucide-react";
import type { TaskJson } from "../../../../../src/http/client/client.ts";

/** The steps of the plan. Agents report which are done. */
export function Subtasks({ task: { subtasks } }: { task: Pick<TaskJson, "subtasks"> }) {
  if (subtasks.length === 0) return null;
  const done = subtasks.filter((each) => each.done).length;
  return (
    <>
      <h2>
        Subtasks, {done} of {subtasks.length} reported done
      </h2>
      <ul className="checklist">
        {subtasks.map(({ title, done: isDone }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- titles may repeat, and the order never changes
          <li key={index}>
            {isDone ? <CircleCheck size={14} aria-hidden /> : <Circle size={14} aria-hidden />}
            <span dir="auto">
              {title}
              <span className="sr">{isDone ? ", done" : ", open"}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
