import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { diffRules, listCheckCommands } from "../../policy/diff/diff-rules.ts";
import type { DiffRules } from "../../policy/diff/finding.ts";
import { findGateSources } from "../../policy/diff/gate-sources.ts";
import type { EnginePorts } from "../ports.ts";

export interface DiffRulesParams {
  readonly project: { readonly name: string };
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly base: string;
  /** The task whose change is reviewed. Null before there is one. */
  readonly task: string | null;
}

/** The rules of a pipeline for changes on top of this base commit, whose files say what the checks run. */
export async function loadDiffRules(
  { workspaces }: Pick<EnginePorts, "workspaces">,
  { project, settings, pipeline, base, task }: DiffRulesParams,
): Promise<DiffRules> {
  const sources = await findGateSources(listCheckCommands(settings), (paths) =>
    workspaces.readFiles({ project: project.name, task, base, paths }),
  );
  return diffRules(pipeline.policy.change, settings, sources);
}
