import { Link } from "@tanstack/react-router";
import { useApi } from "../../api/queries.ts";
import type { Reply } from "../../api/queries.ts";
import { plural } from "../../ui/format.ts";
import { Section } from "../../ui/section.tsx";

const MAX_FILES = 5;

type Order = NonNullable<Reply<"GET /projects/:name/merge-order">["merge_order"]>;

/** In which order to merge, so that most can be merged without a conflict. */
export function MergeOrder({ project }: { project: string }) {
  const order = useApi("GET /projects/:name/merge-order", { params: { name: project } }).data?.merge_order ?? null;
  if (order === null || order.branches.length === 0) return null;
  return (
    <Section title="Merge order" count={order.branches.length} hint={`Into ${order.target}, fewest conflicts first`}>
      <ol className="order">
        {order.branches.map((branch) => (
          <li key={branch.task}>
            <Link className="strong" to="/tasks/$id" params={{ id: branch.task }} dir="auto">
              {branch.title}
            </Link>{" "}
            <code className="faint break" dir="ltr">
              {branch.branch}
            </code>
            <Conflicts branch={branch} order={order} />
          </li>
        ))}
      </ol>
      {order.left_out > 0 && (
        <p className="hint">{plural(order.left_out, "older branch", "older branches")} not compared.</p>
      )}
    </Section>
  );
}

function Conflicts({ branch, order }: { branch: Order["branches"][number]; order: Order }) {
  const titleOf = (task: string): string => order.branches.find((each) => each.task === task)?.title ?? task;
  return (
    <ul className="muted">
      {branch.target_conflicts.length > 0 && (
        <li>
          conflicts with {order.target}: <code className="break">{listFiles(branch.target_conflicts)}</code>
        </li>
      )}
      {branch.conflicts.map(({ task, files }) => (
        <li key={task} dir="auto">
          conflicts with “{titleOf(task)}”: <code className="break">{listFiles(files)}</code>
        </li>
      ))}
    </ul>
  );
}

function listFiles(files: readonly string[]): string {
  const rest = files.length - MAX_FILES;
  return files.slice(0, MAX_FILES).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
