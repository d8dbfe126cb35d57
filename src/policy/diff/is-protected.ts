import { isDependencyFile } from "../../core/nightly/candidates.ts";
import { executedFiles, isExecuted } from "./executed-files.ts";
import type { DiffRules } from "./finding.ts";
import { gateKind } from "./gate-files.ts";

/** Returns a test for files that the rules refuse by name: those that define dependencies or checks. */
export function protectedBy(rules: DiffRules): (path: string) => boolean {
  const executed = new Set([...executedFiles(rules.checkCommands), ...rules.gateFiles]);
  return (path) => {
    if (rules.dependencyFiles === "refuse" && isDependencyFile(path)) return true;
    const kind = gateKind(path) ?? (isExecuted(path, executed) ? "script" : null);
    if (kind === null) return false;
    return rules.gates === "refuse" || (["ci", "own"].includes(kind) && rules.ciAndOwnConfig === "refuse");
  };
}
