import { toAnalysis, type Analysis, type Description } from "../../../core/nightly/analysis.ts";
import { checkWord } from "../../../core/task/describe-check.ts";
import { describeNightChange, describeTaskChange, type ChangeText } from "../../../core/nightly/describe-change.ts";
import { lastPayload } from "../../../core/outcomes/stored-outcome.ts";
import type { Run } from "../../../core/task/run.ts";
import { StepEnd, type StepContext } from "../step-context.ts";

const MAX_RUNS = 1_000;

/** What the runs of a night handed on to each other: the newest of each, since every category begins with an analysis. */
export interface HandedOver {
  readonly analysis: Analysis | null;
  readonly description: Description | null;
}

export async function readHandedOver({ ports, task }: Pick<StepContext, "ports" | "task">): Promise<HandedOver> {
  const runs = await ports.store.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const found = lastPayload(runs, "improvement_found");
  return { analysis: found === null ? null : toAnalysis(found), description: describedSince(runs) };
}

/** How the finished change is put to people. */
export async function describeWork(context: StepContext): Promise<ChangeText> {
  const { task, pipeline } = context;
  return task.items === null || pipeline.each === null ? taskChange(context) : nightChange(context);
}

async function nightChange(context: StepContext): Promise<ChangeText> {
  const { items } = context.task;
  const { analysis, description } = await readHandedOver(context);
  if (analysis === null || description === null)
    throw new StepEnd("agent_error", "there is nothing to say about the change: it was not analysed or not described");
  const category = items?.list[items.at] ?? analysis.category;
  return describeNightChange({ category, analysis, description, trailer: context.settings.commitTrailer });
}

async function taskChange({ ports, task, settings }: StepContext): Promise<ChangeText> {
  const checks = await ports.store.listChecks(task.id);
  const newest = checks.filter(({ run }) => run === checks.at(-1)?.run);
  return describeTaskChange({
    title: task.title,
    description: task.description,
    summary: task.context.findLast(({ kind }) => kind === "implementation_summary")?.text ?? "",
    checks: newest.map((check) => `${check.name}: ${checkWord(check)}`),
    trailer: settings.commitTrailer,
  });
}

/** Words about a change that was thrown away since are about nothing. */
function describedSince(runs: readonly Run[]): Description | null {
  const implemented = runs.findLastIndex(({ outcome }) => outcome === "implemented");
  return lastPayload(runs.slice(implemented + 1), "described");
}
