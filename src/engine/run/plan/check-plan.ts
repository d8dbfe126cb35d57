import { readExecutionPlan, writableDirectories, type ExecutionPlan } from "../../../core/outcomes/execution-plan.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { ownNumber } from "../../../core/pipeline/counters.ts";
import type { StateAgent } from "../../../core/pipeline/pipeline.ts";
import { resolveRun, type RunSettings } from "../../../core/settings/resolve-run.ts";
import type { TaskOptions } from "../../../core/task/task.ts";
import { placeDirectories } from "../../../policy/access/grant.ts";
import { findPlanProblems } from "../../../policy/access/plan-problems.ts";
import { outcomeOf, type StepContext, type Work } from "../step-context.ts";
import { applyApprovalPolicy } from "./apply-approval-policy.ts";
import { mcpLimits } from "./list-mcp-tools.ts";
import { refuseInPlace } from "./refuse-in-place.ts";
import { loadPastEstimates } from "./load-past-estimates.ts";
import { planRoot } from "./plan-request.ts";

/** A plan that asks for what cannot be granted goes back to the planner once. After that, a person sees the problems. */
export async function checkPlan(context: StepContext, work: Work | null, outcome: Outcome): Promise<Outcome> {
  if (outcome.name !== "plan_complete" || context.pipeline.plan !== "execution") return outcome;
  const reported = readExecutionPlan(outcome.payload);
  if (reported === null) return outcome;
  const plan = withAddedDirectories(reported, context.task.options);
  const problems = await findProblems(context, work, plan);
  if (problems.length > 0 && !wasSentBack(context)) return outcomeOf("invalid_output", sendBack(problems));
  const past = await loadPastEstimates(context, executorOf(context).agent);
  const decided = { ...applyApprovalPolicy(context, plan), ...(past !== null && { past_estimates: past }) };
  return outcomeOf("plan_complete", outcome.summary, { ...decided, problems: [...problems] });
}

/** Only the person's options count here, whatever the planner reports. */
function withAddedDirectories(
  { added_directories: _reported, ...plan }: ExecutionPlan,
  { allowDirs }: TaskOptions,
): ExecutionPlan {
  return allowDirs === undefined ? plan : { ...plan, added_directories: [...allowDirs] };
}

/** A report that could not be read was a try as well. */
function wasSentBack({ task, run }: StepContext): boolean {
  return (ownNumber(task.counters, `${run.state}:invalid_output`) ?? 0) > 0;
}

function sendBack(problems: readonly string[]): string {
  return `the plan asks for what cannot be granted:\n${problems.map((problem) => `- ${problem}`).join("\n")}`;
}

/** What the plan asks for and cannot get, a sentence each. `work`: null for a task that works in place. */
export async function findProblems(
  context: Pick<StepContext, "ports" | "task" | "project" | "settings" | "pipeline">,
  work: Work | null,
  plan: ExecutionPlan,
): Promise<readonly string[]> {
  const { ports, settings, task } = context;
  const agent = ports.agents.create(executorOf({ settings, task, pipeline: context.pipeline }).agentSettings);
  return findPlanProblems(plan, {
    allowed: settings.sandbox,
    tools: agent.tools?.map(({ name }) => name) ?? null,
    mcp: await mcpLimits(context, agent, plan.tools),
    directories: await (work === null
      ? refuseInPlace(context, writableDirectories(plan))
      : refuseDirectories(context, work, plan)),
    inPlace: work === null,
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
  plan: ExecutionPlan,
): Promise<readonly string[]> {
  const { inside, outside } = placeDirectories({
    root: planRoot({ project }),
    directories: writableDirectories(plan),
  });
  const prefixes = [...new Set(inside.flatMap(prefixesOf))];
  const files = await ports.workspaces.readFiles({
    project: project.name,
    task: null,
    base: baseCommit,
    paths: prefixes,
  });
  return [
    ...refuseGitData(inside),
    ...files.map(
      ({ path, kind }) => `Directory "${path}" is a ${kind} in the repository. Ask for the directory that contains it.`,
    ),
    ...ports.sandbox.refuseDirectories(outside),
  ];
}

/** For directories relative to the project. */
export function refuseGitData(inside: readonly string[]): readonly string[] {
  return inside
    .filter((path) => path.split("/").includes(".git"))
    .map((path) => `Directory "${path}" is git's own data.`);
}

function prefixesOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
