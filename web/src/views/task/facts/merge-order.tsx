import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { plural } from "../../../ui/format.ts";
import { TaskLink } from "./fact.tsx";

/** In which order to merge the published branches of the project. Only worth reading if there are several. */
export function MergeOrder({ task: { id, merge_order: order } }: { task: TaskJson }) {
  if (order === null || order.branches.length < 2) return null;
  return (
    <>
      <h2>
        Merge order into <span dir="auto">{order.target}</span>
      </h2>
      <ol className="order">
        {order.branches.map((branch) => (
          <li key={branch.task}>
            {branch.task === id ? <b>this task</b> : <TaskLink id={branch.task}>{branch.title}</TaskLink>}
            {describeConflicts(branch) !== null && <p className="hint">{describeConflicts(branch)}</p>}
          </li>
        ))}
      </ol>
      {order.left_out > 0 && (
        <p className="hint">{plural(order.left_out, "older branch", "older branches")} not compared.</p>
      )}
    </>
  );
}

type Branch = NonNullable<TaskJson["merge_order"]>["branches"][number];

function describeConflicts({ target_conflicts: target, conflicts }: Branch): string | null {
  const files = [...new Set([...target, ...conflicts.flatMap((conflict) => conflict.files)])];
  if (files.length === 0) return null;
  return `Conflicts ${target.length > 0 ? "with the target" : "with other branches"} in ${files.slice(0, 3).join(", ")}${files.length > 3 ? ` and ${files.length - 3} more` : ""}.`;
}
