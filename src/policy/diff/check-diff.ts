import type { FileChange } from "../../core/change/file-change.ts";
import { readChangedFile } from "./changed-file.ts";
import { checkDependencies } from "./check-dependencies.ts";
import { checkGates } from "./check-gates.ts";
import { checkKinds } from "./check-kinds.ts";
import { checkPlaces, checkSize } from "./check-scope.ts";
import { checkTests } from "./check-tests.ts";
import type { DiffRules, Finding } from "./finding.ts";

/** A change of more files holds everybody up while it is looked at, and nobody reads it. */
const MOST_FILES = 5000;
const ORDER = { error: 0, warning: 1, note: 2 } as const;

/**
 * What there is to say against a change, from the contents of its files alone: no word of an agent, no text of git.
 * Errors first, then by file and line.
 */
export function checkDiff(changes: readonly FileChange[], rules: DiffRules): readonly Finding[] {
  const files = changes.slice(0, MOST_FILES).map(readChangedFile);
  const checks = [checkSize, checkPlaces, checkKinds, checkDependencies, checkGates, checkTests];
  return [...checkCount(changes), ...checks.flatMap((check) => check(files, rules))].toSorted(
    (one, other) =>
      ORDER[one.severity] - ORDER[other.severity] ||
      (one.path < other.path ? -1 : one.path > other.path ? 1 : 0) ||
      (one.line ?? 0) - (other.line ?? 0),
  );
}

/** What was not looked at must not pass, whatever the pipeline. */
function checkCount(changes: readonly FileChange[]): Finding[] {
  const first = changes[MOST_FILES];
  if (first === undefined) return [];
  const message =
    `The change has ${changes.length.toLocaleString("en-US")} files; only the first ${MOST_FILES.toLocaleString("en-US")} were looked at, ` +
    "and this is the next one. Do less, or have .gitignore name what is not part of the work.";
  return [{ rule: "size", severity: "error", path: first.path, line: null, message }];
}
