import { leftForTask, limitsAt, type BudgetLimit } from "../../../core/money/budget.ts";
import { describeRefusal, describeSpentTask, describeUncounted, usdWords } from "../../../core/money/budget-words.ts";
import type { Usage } from "../../../core/money/cost.ts";
import { SYSTEM, type EventDraft } from "../../../core/task/event.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { least, resolveRun, type RunSettings } from "../../../core/settings/resolve-run.ts";
import type { Role } from "../../../core/task/role.ts";
import type { Run } from "../../../core/task/run.ts";
import { listPaidRuns } from "../../variants.ts";
import { outcomeOf, StepEnd, type StepContext, type StepResult } from "../step-context.ts";

/** Reserves the run's budget before it starts. Ends the step if there is none left. */
export async function applyBudget(context: StepContext, runSettings: RunSettings): Promise<RunSettings> {
  const runs = await listPaidRuns(context.ports, context.task);
  const maxUsd = applyTaskBudget(context, runSettings.maxBudgetUsd, runs);
  const limits = limitsNow(context);
  if (limits.length === 0) return { ...runSettings, maxBudgetUsd: maxUsd };
  const allowance = await context.ports.store.money.reserve(context.lease, { limits, maxUsd });
  switch (allowance.kind) {
    case "allowed":
      return { ...runSettings, maxBudgetUsd: least([maxUsd, allowance.usd]) };
    case "reserved":
      throw new StepEnd("budget_reserved", describeRefusal("reserved", allowance.by));
    case "spent":
      throw new StepEnd({
        ...outcomeOf("night_over", describeRefusal("spent", allowance.by)),
        retryAt: allowance.by.limit.until,
      });
  }
}

/** A task's budget is not renewed, so a person decides about a task that has spent it. */
function applyTaskBudget(context: StepContext, maxUsd: number | null, runs: readonly Run[]): number | null {
  const limitUsd = taskLimit(context);
  const costs = costsOfEarlier(context, runs);
  const { leftUsd, isSpent } = leftForTask(limitUsd, costs);
  if (isSpent && limitUsd !== null)
    throw new StepEnd(
      "budget_exhausted",
      describeSpentTask({ limitUsd, costs, isOwn: limitUsd === context.task.options.budgetUsd }),
    );
  return least([maxUsd, leftUsd]);
}

export interface CutOff {
  readonly role: Role;
  readonly outcome: Outcome;
  readonly usage: Usage;
}

/**
 * If a run got less than its full budget because other runs had spent the rest, it continues in the next budget period. If
 * it used its full budget, it would be cut off again, so a person decides.
 */
export async function explainCutOff(context: StepContext, { role, outcome, usage }: CutOff): Promise<Outcome> {
  const { ports, run, task, settings, state } = context;
  const limits = limitsNow(context);
  if (outcome.name !== "budget_exhausted" || limits.length === 0) return outcome;
  const reservedUsd = (await ports.store.tasks.getRun(run.id))?.reservedUsd ?? null;
  const runs = await listPaidRuns(ports, task);
  const availableUsd = least([
    resolveRun(settings, state.agent, task.options, role).maxBudgetUsd,
    leftForTask(taskLimit(context), costsOfEarlier(context, runs)).leftUsd,
    ...limits.map(({ usd }) => usd),
  ]);
  if (reservedUsd === null || availableUsd === null || reservedUsd >= availableUsd) return outcome;
  if (ranOutOfTokens(usage, reservedUsd, settings.budget.runTokens)) return outcome;
  const summary = `it was cut off at ${usdWords(reservedUsd)}, which was all that was left of the budget for the night or month`;
  return { ...outcomeOf("night_over", summary), retryAt: Math.min(...limits.map(({ until }) => until)) };
}

/** The gateway limits both; the one that was closer to its limit ended the run. */
function ranOutOfTokens({ tokens, costUsd }: Usage, reservedUsd: number, limit: number | null): boolean {
  if (limit === null) return false;
  if (costUsd === null) return true;
  const used = tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite;
  return used / limit > costUsd / reservedUsd;
}

/** Warns at the end of a run of unknown cost, because budget limits do not cover it. */
export function uncountedEvents(context: StepContext, { costUsd }: StepResult, at: number): readonly EventDraft[] {
  const { run, settings } = context;
  if (run.step !== "agent" || costUsd !== null) return [];
  const keys = [
    ...(taskLimit(context) === null ? [] : ["budget.task_usd"]),
    ...(settings.budget.nightUsd === null ? [] : ["budget.night_usd"]),
    ...(settings.budget.monthUsd === null ? [] : ["budget.month_usd"]),
  ];
  if (keys.length === 0) return [];
  const event = { type: "run.note", level: "warning", actor: SYSTEM, data: { limits: keys } } as const;
  return [{ ...event, at, task: run.task, run: run.id, summary: describeUncounted(keys) }];
}

function limitsNow({ ports, project, settings }: StepContext): readonly BudgetLimit[] {
  return limitsAt({ ...settings, project: project.name, at: ports.clock.now() });
}

function taskLimit({ settings, task }: StepContext): number | null {
  return least([task.options.budgetUsd, settings.budget.taskUsd]);
}

function costsOfEarlier({ run }: StepContext, runs: readonly Run[]): readonly (number | null)[] {
  const earlier = runs.filter(({ id, step, startedAt }) => id !== run.id && step === "agent" && startedAt !== null);
  return earlier.map(({ costUsd }) => costUsd);
}
