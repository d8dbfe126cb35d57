import { maxLinesOf, type ChangePolicy } from "../../core/pipeline/pipeline-policy.ts";
import type { DiffRules } from "./finding.ts";
import type { Settings } from "../../core/settings/settings.ts";

/** Larger files are not read. */
const MAX_FILE_BYTES = 5_000_000;

/** The pipeline's policy as rules for the diff. Weakened tests are refused in every pipeline until the agent insists on them. */
export function diffRules(policy: ChangePolicy, settings: Pick<Settings, "checks" | "improve">): DiffRules {
  return {
    maxChangedLines: maxLinesOf(policy, settings.improve),
    maxFileBytes: MAX_FILE_BYTES,
    dependencyFiles: policy.dependencyFiles,
    recentFiles: [],
    concernFiles: null,
    gates: policy.gates,
    weakenedTests: "refuse",
    ciAndOwnConfig: policy.ciFiles,
    binaryFiles: policy.binaryFiles,
    submodules: policy.submodules,
    checkCommands: settings.checks.map(({ command }) => command),
  };
}
