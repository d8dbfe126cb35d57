import { entryOf, type Outcome } from "../../../core/outcomes/outcome.ts";
import { lastPayload } from "../../../core/outcomes/stored-outcome.ts";
import type { Task } from "../../../core/task/task.ts";
import { describeChoice, isRepairable } from "../../../core/task/variants.ts";
import { loadVariants } from "../../variants.ts";
import { prepareWork } from "../prepare/prepare-work.ts";
import { loadCandidates } from "../prompt/load-variants.ts";
import { readNewestDiff } from "../prompt/read-newest-diff.ts";
import { prepareJob } from "../run-jobs.ts";
import { outcomeOf, resultOf, StepEnd, type StepContext, type StepResult } from "../step-context.ts";
import { endOf, runAgent, type AgentEnding } from "./run-agent.ts";
import { startAgent } from "./start-agent.ts";

/** Takes over the work of the best variant. A reviewer ranks the variants if more than one of them passed the checks. */
export async function runRankStep(context: StepContext): Promise<StepResult> {
  const candidates = await loadCandidates(context.ports, context.task);
  const [only] = candidates.values();
  if (only === undefined) return takeRepairable(context);
  if (candidates.size === 1) return takeOver(context, only, "It is the only one that passed the checks.");
  const ranking = await rank(context);
  if (mustRepeat(ranking.outcome)) return resultOf(context, ranking.outcome, endResult(context, ranking));
  const { variant, reason } = chooseVariant(ranking.outcome, candidates);
  return { ...(await takeOver(context, variant, reason)), ...endResult(context, ranking), error: null };
}

interface Ranking extends Pick<AgentEnding, "outcome"> {
  /** Null if the agent was not started. */
  readonly ending: AgentEnding | null;
}

async function rank(context: StepContext): Promise<Ranking> {
  const { ports, run } = context;
  try {
    await prepareJob(ports, run.id);
    const work = await prepareWork(context);
    const ending = await runAgent(context, "rank", () => startAgent(context, "rank", work));
    return { outcome: ending.outcome, ending };
  } catch (error) {
    if (error instanceof StepEnd) return { outcome: error.outcome, ending: null };
    throw error;
  }
}

function endResult(context: StepContext, { outcome, ending }: Ranking): Partial<StepResult> {
  const error = outcome.name === "ranked" ? null : outcome.summary;
  return { ...(ending !== null && endOf(context, ending)), error };
}

/** The run could not do its work yet: its agent is parked, the machine has a problem, or a person ended it. */
function mustRepeat({ name }: Outcome): boolean {
  return name === "cancel" || name === "interrupted" || entryOf(name).edge?.do === "park";
}

interface Choice {
  readonly variant: Task;
  readonly reason: string;
}

/** Without a ranking, the order in which the agents were named decides. The change is reviewed later in any case. */
function chooseVariant(outcome: Outcome, candidates: ReadonlyMap<string, Task>): Choice {
  const names = outcome.name === "ranked" ? outcome.payload.ranking : [];
  const best = names.map((name) => candidates.get(name.trim().toUpperCase())).find((found) => found !== undefined);
  if (best !== undefined) return { variant: best, reason: `The reviewer ranked it first: ${outcome.summary}` };
  const [first] = [...candidates.values()].toSorted((a, b) => numberOf(a) - numberOf(b));
  if (first === undefined) throw new Error("there is no variant to choose");
  const why = outcome.name === "ranked" ? "it names no variant" : outcome.summary;
  return {
    variant: first,
    reason: `The reviewer gave no usable ranking (${why}), so the first one that passed was taken.`,
  };
}

function numberOf({ options }: Task): number {
  return options.variantOf?.number ?? 0;
}

/** If no variant passed, the usual repair continues with the one whose fewest checks failed. */
async function takeRepairable(context: StepContext): Promise<StepResult> {
  const { ports, task } = context;
  const variants = (await loadVariants(ports, task)).filter((variant) => variant !== null);
  const failed = await Promise.all(
    variants
      .filter(isRepairable)
      .map(async (variant) => ({ variant, failures: await countFailures(context, variant) })),
  );
  const [best] = failed.toSorted((a, b) => a.failures - b.failures);
  if (best !== undefined)
    return takeOver(context, best.variant, "None passed the checks. This one has the fewest failed checks.");
  const question = await findQuestion(context, variants);
  if (question !== null) return resultOf(context, question);
  const reasons = variants.map((variant) => `${nameOf(variant)}: ${variant.reason ?? variant.status}`);
  const summary = `No variant has a change to continue with.\n${reasons.join("\n")}`;
  return resultOf(context, outcomeOf("no_changes", summary), { error: summary });
}

/** What the first agent that asked a person wants to know. All agents start again with the answer. */
async function findQuestion({ ports }: StepContext, variants: readonly Task[]): Promise<Outcome | null> {
  for (const { id, reason, outcome } of variants.toSorted((a, b) => numberOf(a) - numberOf(b))) {
    const runs = await ports.store.tasks.listRuns({ task: id, status: null, project: null, limit: 1_000 });
    const summary = reason ?? "An agent has a question.";
    const questions = outcome === "needs_info" ? lastPayload(runs, "needs_info") : null;
    if (questions !== null) return outcomeOf("needs_info", summary, questions);
    const options = outcome === "options_proposed" ? lastPayload(runs, "options_proposed") : null;
    if (options !== null) return outcomeOf("options_proposed", summary, options);
  }
  return null;
}

async function countFailures({ ports }: StepContext, { id }: Task): Promise<number> {
  const checks = await ports.store.tasks.listChecks(id);
  return checks.filter(({ status }) => status === "failed").length;
}

function nameOf({ options: { implementer, variantOf } }: Task): string {
  return `variant ${variantOf?.number ?? "?"} (${implementer === undefined ? "?" : describeChoice(implementer)})`;
}

/** Makes the work of a variant the work of the task. Safe to repeat. */
async function takeOver(context: StepContext, variant: Task, reason: string): Promise<StepResult> {
  const { ports, project, task, run } = context;
  const { baseCommit, headCommit, options } = variant;
  if (baseCommit === null || headCommit === null || options.implementer === undefined)
    throw new Error(`variant ${variant.id} has no work`);
  await ports.workspaces.takeOver({ project: project.name, task: task.id, from: variant.id, commit: headCommit });
  await ports.runFiles.prepare({ run: run.id, task: task.id, role: "rank" });
  const patch = await readNewestDiff(ports, variant);
  if (patch !== null) await ports.runFiles.keepDiff(run.id, patch);
  const report = await readReport(context, variant);
  const summary = `${nameOf(variant)} was chosen. ${reason}${report === null ? "" : `\n${report.summary}`}`;
  const artifacts = await ports.store.tasks.listArtifacts(variant.id);
  return resultOf(context, outcomeOf("implemented", summary, { ...report, summary }), {
    work: { baseCommit, headCommit, published: null },
    artifacts: artifacts.filter(({ type }) => type === "diff"),
    implementer: { ...options.implementer, variant: variant.id },
  });
}

/** What the variant's agent reported about its change. */
async function readReport({ ports }: StepContext, { id }: Task) {
  const runs = await ports.store.tasks.listRuns({ task: id, status: null, project: null, limit: 1_000 });
  return lastPayload(runs, "implemented");
}
