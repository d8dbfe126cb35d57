import type { FileChange } from "../../core/change/file-change.ts";
import { readChangedFile } from "./changed-file.ts";
import { checkDependencies } from "./check-dependencies.ts";
import { checkGates } from "./check-gates.ts";
import { checkKinds } from "./check-kinds.ts";
import { checkFiles, checkSize } from "./check-scope.ts";
import { checkTests } from "./check-tests.ts";
import type { DiffRules, Finding } from "./finding.ts";

/** Checking larger changes would block other work, and they are too large to review. */
const MAX_FILES = 5000;
const ORDER = { error: 0, warning: 1, note: 2 } as const;

/**
 * Checks a change using only the contents of its files, without an agent's claims or git's output.
 * Errors first, then by file and line.
 */
export function checkDiff(changes: readonly FileChange[], rules: DiffRules): readonly Finding[] {
  const files = changes.slice(0, MAX_FILES).map(readChangedFile);
  const checks = [checkSize, checkFiles, checkKinds, checkDependencies, checkGates, checkTests];
  return [...checkCount(changes), ...checks.flatMap((check) => check(files, rules))].toSorted(
    (one, other) =>
      ORDER[one.severity] - ORDER[other.severity] ||
      (one.path < other.path ? -1 : one.path > other.path ? 1 : 0) ||
      (one.line ?? 0) - (other.line ?? 0),
  );
}

/** Files that were not checked must not pass, in any pipeline. */
function checkCount(changes: readonly FileChange[]): Finding[] {
  const first = changes[MAX_FILES];
  if (first === undefined) return [];
  const message =
    `The change has ${changes.length.toLocaleString("en-US")} files; only the first ${MAX_FILES.toLocaleString("en-US")} were checked, ` +
    "and this is the next one. Make a smaller change, or add files that are not part of it to .gitignore.";
  return [{ rule: "size", severity: "error", path: first.path, line: null, message }];
}
