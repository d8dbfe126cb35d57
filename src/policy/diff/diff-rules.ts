import { maxLinesOf, type ChangePolicy } from "../../core/pipeline/pipeline-policy.ts";
import type { DiffRules } from "./finding.ts";
import type { GateSources } from "./gate-sources.ts";
import type { Settings } from "../../core/settings/settings.ts";

/** Larger files are not read. */
const MAX_FILE_BYTES = 5_000_000;

/** Everything that runs in the tree of the checks: set-up can replace their programs. */
export function listCheckCommands({ checks, workspace }: Pick<Settings, "checks" | "workspace">): readonly string[] {
  const commands = checks.flatMap(({ command, related }) => [command, related]);
  return [workspace.setup, ...commands].filter((command) => command !== null);
}

/** The pipeline's policy as rules for the diff. */
export function diffRules(
  policy: ChangePolicy,
  settings: Pick<Settings, "improve">,
  { commands, files }: GateSources,
): DiffRules {
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
    checkCommands: commands,
    gateFiles: files,
  };
}
