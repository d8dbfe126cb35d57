import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { Commit } from "../facts/fact.tsx";
import { EXPLANATIONS } from "./check-words.ts";

/** What the statuses in the table mean, only those that appear. */
export function Explanations({ task: { checks, base_commit: base } }: { task: TaskJson }) {
  const statuses = [...new Set(checks.map(({ status }) => status))];
  const found = statuses.flatMap((status) => {
    const words = EXPLANATIONS[status];
    return words === undefined ? [] : [{ status, word: words[0], sentence: words[1] }];
  });
  const hasWarnings = checks.some(({ severity, status }) => severity === "warning" && status === "failed");
  if (found.length === 0 && !hasWarnings) return null;
  return (
    <ul className="hint stack explained">
      {found.map(({ status, word, sentence }) => (
        <li key={status}>
          <b className="strong">{word}</b>: {sentence}
          {status === "inconclusive" && base !== null && (
            <>
              {" "}
              Base: <Commit hash={base} />
            </>
          )}
        </li>
      ))}
      {hasWarnings && (
        <li>
          <b className="strong">warning only</b>: a check that may fail without blocking the change.
        </li>
      )}
    </ul>
  );
}
