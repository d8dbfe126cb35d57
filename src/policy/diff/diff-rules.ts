import type { DiffRules } from "./finding.ts";
import type { Settings } from "../../core/task/settings.ts";

/** Larger files are not read. */
const MAX_FILE_BYTES = 5_000_000;

/**
 * The limits for a change. The nightly improvement is not requested by anyone, so all rules apply to it. A person who requests
 * a change may want any of this, so there it is only shown, except for weakened tests: those are refused until the agent
 * insists on them.
 */
export function diffRules(pipeline: string, settings: Pick<Settings, "checks" | "improve">): DiffRules {
  const own = pipeline === "improve" ? "refuse" : "show";
  return {
    maxChangedLines: pipeline === "improve" ? settings.improve.maxDiffLines : null,
    maxFileBytes: MAX_FILE_BYTES,
    dependencyFiles: own,
    recentFiles: [],
    concernFiles: null,
    gates: own,
    weakenedTests: "refuse",
    ciAndOwnConfig: own,
    binaryFiles: own,
    submodules: own,
    checkCommands: settings.checks.map(({ command }) => command),
  };
}
