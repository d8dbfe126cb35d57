import {
  comparePastEstimates,
  totalTokens,
  type EstimatedRun,
  type PastEstimates,
} from "../../../core/money/past-estimates.ts";
import { readExecutionPlan } from "../../../core/outcomes/execution-plan.ts";
import type { Run } from "../../../core/task/run.ts";
import type { StepContext } from "../step-context.ts";

const MAX_RUNS = 20;
/** Runs of all roles are listed, so more of them have to be read. */
const MAX_LISTED = 1_000;

/** How well earlier plans of this project estimated the runs of the agent that will carry out the next one. */
export async function loadPastEstimates(
  context: Pick<StepContext, "ports" | "project">,
  agent: string,
): Promise<PastEstimates | null> {
  const { tasks } = context.ports.store;
  const query = { task: null, status: ["succeeded"], project: context.project.name, limit: MAX_LISTED } as const;
  const executed = (await tasks.listRuns(query)).filter((run) => run.role === "execute" && run.agent === agent);
  const newest = executed.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, MAX_RUNS);
  const past = await Promise.all(
    newest.map(async (run) => toEstimate(run, (await tasks.getTask(run.task))?.plan ?? null)),
  );
  return comparePastEstimates(past.filter((each) => each !== null));
}

function toEstimate(run: Run, plan: Parameters<typeof readExecutionPlan>[0]): EstimatedRun | null {
  const estimate = readExecutionPlan(plan)?.estimate;
  const { startedAt, finishedAt, pausedMs, tokens, costUsd } = run;
  if (estimate === undefined || startedAt === null || finishedAt === null) return null;
  return {
    planned: { tokens: estimate.tokens, minutes: estimate.minutes, usd: estimate.usd ?? null },
    actual: { tokens: totalTokens(tokens), minutes: (finishedAt - startedAt - pausedMs) / 60_000, usd: costUsd },
  };
}
