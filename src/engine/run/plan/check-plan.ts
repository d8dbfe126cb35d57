import { readExecutionPlan, type ExecutionPlan } from "../../../core/outcomes/execution-plan.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { ownNumber } from "../../../core/pipeline/counters.ts";
import type { StateAgent } from "../../../core/pipeline/pipeline.ts";
import { resolveRun, type RunSettings } from "../../../core/settings/resolve-run.ts";
import { placeDirectories } from "../../../policy/access/grant.ts";
import { findPlanProblems } from "../../../policy/access/plan-problems.ts";
import { outcomeOf, type StepContext, type Work } from "../step-context.ts";
import { planRoot } from "./plan-request.ts";

/** A plan that asks for what cannot be granted goes back to the planner once. After that, a person sees the problems. */
export async function checkPlan(context: StepContext, work: Work, outcome: Outcome): Promise<Outcome> {
  if (outcome.name !== "plan_complete" || context.pipeline.plan !== "execution") return outcome;
  const plan = readExecutionPlan(outcome.payload);
  if (plan === null) return outcome;
  const problems = await findProblems(context, work, plan);
  if (problems.length > 0 && !wasSentBack(context)) return outcomeOf("invalid_output", sendBack(problems));
  return outcomeOf("plan_complete", outcome.summary, { ...plan, problems: [...problems] });
}

/** A report that could not be read was a try as well. */
function wasSentBack({ task, run }: StepContext): boolean {
  return (ownNumber(task.counters, `${run.state}:invalid_output`) ?? 0) > 0;
}

function sendBack(problems: readonly string[]): string {
  return `the plan asks for what cannot be granted:\n${problems.map((problem) => `- ${problem}`).join("\n")}`;
}

/** What the plan asks for and cannot get, a sentence each. */
export async function findProblems(
  context: Pick<StepContext, "ports" | "task" | "project" | "settings" | "pipeline">,
  work: Work,
  plan: ExecutionPlan,
): Promise<readonly string[]> {
  const { ports, settings, task } = context;
  const { tools } = ports.agents.create(executorOf({ settings, task, pipeline: context.pipeline }).agentSettings);
  return findPlanProblems(plan, {
    allowed: settings.sandbox,
    tools: tools?.map(({ name }) => name) ?? null,
    directories: await refuseDirectories(context, work, plan),
  });
}

/** The settings of the run that will carry out the plan. */
export function executorOf({
  settings,
  task,
  pipeline,
}: Pick<StepContext, "settings" | "task" | "pipeline">): RunSettings {
  const executing = Object.values(pipeline.states).find(({ step }) => step.kind === "agent" && step.role === "execute");
  return resolveRun(settings, executing?.agent ?? NO_STATE_AGENT, task.options, "execute");
}

const NO_STATE_AGENT: StateAgent = {
  agent: null,
  model: null,
  timeoutMs: null,
  maxTurns: null,
  maxBudgetUsd: null,
  tools: null,
  commands: null,
};

async function refuseDirectories(
  { ports, project }: Pick<StepContext, "ports" | "project">,
  { baseCommit }: Work,
  { directories }: ExecutionPlan,
): Promise<readonly string[]> {
  const { inside, outside } = placeDirectories({ root: planRoot({ project }), directories });
  const prefixes = [...new Set(inside.flatMap(prefixesOf))];
  const files = await ports.workspaces.readFiles({
    project: project.name,
    task: null,
    base: baseCommit,
    paths: prefixes,
  });
  return [
    ...inside
      .filter((path) => path.split("/").includes(".git"))
      .map((path) => `Directory "${path}" is git's own data.`),
    ...files.map(
      ({ path, kind }) => `Directory "${path}" is a ${kind} in the repository. Ask for the directory that contains it.`,
    ),
    ...ports.sandbox.refuseDirectories(outside),
  ];
}

function prefixesOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
