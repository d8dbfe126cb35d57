import { describeCheckStatus } from "../../../../../src/core/task/checks/describe-check.ts";
import { terminalText } from "../../../../../src/core/text/terminal-text.ts";
import type { CheckJson, RunJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { findFirstError } from "../checks/find-errors.ts";
import { Hash } from "./event-line.tsx";

/** How the checks of a run ended: what failed by name, the rest in numbers, and the first error. */
export function ChecksWords({ task, run }: { task: TaskJson; run: RunJson }) {
  const checks = task.checks.filter((check) => check.run === run.id);
  const commit = run.payload?.["commit"];
  const failed = checks.find(({ status, severity }) => status === "failed" && severity === "error");
  const error = failed === undefined ? null : findFirstError(terminalText(failed.tail));
  if (checks.length === 0) return <>: {run.outcome === null ? run.status : <code>{run.outcome}</code>}</>;
  return (
    <>
      :{" "}
      {groupChecks(checks).map((part, index) => (
        <span key={part}>
          {index > 0 && ", "}
          {part}
        </span>
      ))}
      {typeof commit === "string" && (
        <>
          , on <Hash hash={commit} />
        </>
      )}
      {error !== null && (
        <pre className="said clip" dir="auto">
          {error}
        </pre>
      )}
    </>
  );
}

/** "test failed, 3 passed, lint fails on the base too". */
function groupChecks(checks: readonly CheckJson[]): readonly string[] {
  const passed = checks.filter(({ status }) => status === "passed").length;
  const others = checks.filter(({ status }) => status !== "passed");
  const words = others.map((check) =>
    check.status === "inconclusive"
      ? `${check.name} fails on the base too`
      : `${check.name} ${describeCheckStatus(check)}`,
  );
  const failed = words.filter((_, index) => others[index]?.status === "failed");
  const rest = words.filter((_, index) => others[index]?.status !== "failed");
  return [...failed, ...(passed > 0 ? [`${passed} passed`] : []), ...rest];
}
