import type { DiffRules } from "./finding.ts";
import type { Settings } from "../../core/task/settings.ts";

/** Larger files are not looked into. */
const MAX_FILE_BYTES = 5_000_000;

/**
 * What a change may not do. Nobody asked for what the nightly improvement does, so it is held to everything; a person who
 * asks for a change may mean any of it, so there it is shown, but for tests that got weaker: those are refused until the
 * agent stands by them.
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
