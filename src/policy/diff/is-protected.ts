import { isDependencyFile } from "../../core/nightly/candidates.ts";
import { namedFiles } from "./check-command-targets.ts";
import type { DiffRules } from "./finding.ts";
import { gateKind } from "./gate-files.ts";

/** Returns a test for files that the rules refuse by name: those that define dependencies or checks. */
export function protectedBy(rules: DiffRules): (path: string) => boolean {
  const named = namedFiles(rules.checkCommands);
  return (path) => {
    if (rules.dependencyFiles === "refuse" && isDependencyFile(path)) return true;
    const kind = gateKind(path) ?? (named.has(path) ? "script" : null);
    if (kind === null) return false;
    return rules.gates === "refuse" || (["ci", "own"].includes(kind) && rules.ciAndOwnConfig === "refuse");
  };
}
