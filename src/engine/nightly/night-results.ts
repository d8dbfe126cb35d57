import { toAnalysis, type Analysis, type Description } from "../../core/nightly/candidates.ts";
import { describeNightChange, type ChangeText } from "../../core/nightly/describe-change.ts";
import { lastPayload } from "../../core/outcomes/stored-outcome.ts";
import type { Run } from "../../core/task/run.ts";
import { StepEnd, type StepContext } from "../run/step-context.ts";

const MAX_RUNS = 1_000;

/** The newest analysis and description of a night. Every category starts with a new analysis. */
export interface NightResults {
  readonly analysis: Analysis | null;
  readonly description: Description | null;
}

export async function readNightResults({ ports, task }: Pick<StepContext, "ports" | "task">): Promise<NightResults> {
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const found = lastPayload(runs, "improvement_found");
  return { analysis: found === null ? null : toAnalysis(found), description: findDescription(runs) };
}

/** Title, texts and labels of a change, from the analysis and the `describe` role. */
export async function loadChangeText(context: StepContext): Promise<ChangeText> {
  const { items } = context.task;
  const { analysis, description } = await readNightResults(context);
  if (analysis === null || description === null)
    throw new StepEnd("agent_error", "the change cannot be described: its analysis or its description is missing");
  const category = items?.list[items.at] ?? analysis.category;
  return describeNightChange({ category, analysis, description, trailer: context.settings.commitTrailer });
}

/** Ignores descriptions of an earlier implementation. */
function findDescription(runs: readonly Run[]): Description | null {
  const implemented = runs.findLastIndex(({ outcome }) => outcome === "implemented");
  return lastPayload(runs.slice(implemented + 1), "described");
}
