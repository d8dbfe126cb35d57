import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { plural } from "../../../ui/format.ts";
import { Commit, Fact } from "./fact.tsx";

/** The branch, its commits and the size of the change. */
export function CodeFacts({ task }: { task: TaskJson }) {
  const { branch, base_commit: base, head_commit: head, options } = task;
  if (branch === null && base === null) return null;
  return (
    <>
      <h2>Code</h2>
      <dl>
        <Fact name="Branch">
          {branch !== null && (
            <span className="mono clip branch" title={branch}>
              {branch}
            </span>
          )}
        </Fact>
        <Fact name="Base">{base !== null && <Commit hash={base} />}</Fact>
        <Fact name="Head">{head !== null && head !== base && <Commit hash={head} />}</Fact>
        <Fact name="Change">
          <ChangeSize task={task} />
        </Fact>
        <Fact name="Works in">{options.in_place && "the project's directory"}</Fact>
      </dl>
    </>
  );
}

function ChangeSize({ task: { artifacts } }: { task: TaskJson }) {
  const data = artifacts.findLast(({ type }) => type === "diff")?.data;
  const files = data?.["files"];
  if (data === undefined || !Array.isArray(files)) return "none yet";
  return (
    <>
      <span className="plus">+{String(data["insertions"])}</span>{" "}
      <span className="minus">−{String(data["deletions"])}</span> in {plural(files.length, "file")}
    </>
  );
}
