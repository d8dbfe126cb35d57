import { Link } from "@tanstack/react-router";
import { describeCheckStatus } from "../../../../src/core/task/checks/describe-check.ts";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { Glyph, type GlyphName } from "../../ui/glyph.tsx";

type Check = TaskJson["checks"][number];

const GLYPHS: Readonly<Record<Check["status"], GlyphName>> = {
  passed: "succeeded",
  failed: "failed",
  inconclusive: "baseline",
  could_not_run: "timeout",
  flaky: "flaky",
  skipped: "skipped",
};

/** The newest result of each check. Results of the engine, not what an agent says about them. */
export function ChecksSummary({ task }: { task: TaskJson }) {
  const newest = [...new Map(task.checks.map((check) => [check.name, check])).values()];
  if (newest.length === 0) return <>No check ran.</>;
  return (
    <>
      <ul className="check-words">
        {newest.map((check) => (
          <li key={check.name} className="flex">
            <Glyph name={GLYPHS[check.status]} />
            <bdi>{check.name}</bdi>
            <span className="muted">{describeCheckStatus(check)}</span>
          </li>
        ))}
      </ul>
      <Link className="link" to="/tasks/$id/$tab" params={{ id: task.id, tab: "checks" }}>
        Show the checks
      </Link>
    </>
  );
}
