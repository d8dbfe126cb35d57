import { maxLinesOf, type ChangePolicy } from "../../core/pipeline/pipeline-policy.ts";
import type { DiffRules } from "./finding.ts";
import type { Settings } from "../../core/settings/settings.ts";

/** Larger files are not read. */
const MAX_FILE_BYTES = 5_000_000;

/** The pipeline's policy as rules for the diff. */
export function diffRules(policy: ChangePolicy, settings: Pick<Settings, "checks" | "improve">): DiffRules {
  return {
    maxChangedLines: maxLinesOf(policy, settings.improve),
    maxFileBytes: MAX_FILE_BYTES,
    dependencyFiles: policy.dependencyFiles,
    recentFiles: [],
    concernFiles: null,
    gates: policy.gates,
    ciAndOwnConfig: policy.ciFiles,
    binaryFiles: policy.binaryFiles,
    submodules: policy.submodules,
    checkCommands: settings.checks.map(({ command }) => command),
  };
}
