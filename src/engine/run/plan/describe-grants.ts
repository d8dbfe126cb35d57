import { isInPlace } from "../../../core/task/in-place.ts";
import type { PromptData } from "../../../core/prompt/prompt-context.ts";
import type { StepContext } from "../step-context.ts";
import { executorOf } from "./check-plan.ts";
import { describeMcpTools } from "./list-mcp-tools.ts";
import { planRoot } from "./plan-request.ts";

/** For a planner: everything that a plan can ask for. Empty in pipelines whose plans are documents. */
export async function describeGrants(context: StepContext): Promise<PromptData> {
  if (context.pipeline.plan !== "execution") return {};
  const { ports, settings, project, task } = context;
  const { agent, agentSettings, timeoutMs, maxBudgetUsd } = executorOf(context);
  const created = ports.agents.create(agentSettings);
  const { tools } = created;
  const { commands, network } = settings.sandbox;
  return {
    access: [
      `Directory of the project: ${planRoot({ project })}. ${describePlace(context)} Write \`directories\` relative to it, or as absolute paths.`,
      "Everything in the project can be read. Nothing can be written but `directories`; `.` is the whole project.",
      ...(task.options.allowDirs === undefined
        ? []
        : [`The person lets the executor write here, whatever the plan says: ${listOf(task.options.allowDirs)}.`]),
      tools === undefined
        ? `Tools of ${agent}: not known. Name those that it needs.`
        : `Tools of ${agent}:\n${tools.map(({ name, description }) => `- ${name}: ${description}`).join("\n")}`,
      ...(await describeMcpTools(context, created)),
      `Commands: ${commands === null ? "every program of the system" : listOf(commands)}. They need the tool Bash.`,
      `Network hosts: ${listOf(network)}.`,
      `Limits: ${Math.round(timeoutMs / 60_000)} minutes${maxBudgetUsd === null ? "" : `, $${maxBudgetUsd}`}.`,
    ].join("\n"),
  };
}

function describePlace({ task }: StepContext): string {
  return isInPlace(task)
    ? "The plan is carried out directly there, so `needs_git` must be false: `.git` is read-only."
    : "Your workspace is a copy of it.";
}

function listOf(items: readonly string[]): string {
  return items.length === 0 ? "none" : items.join(", ");
}
