import type { PromptData } from "../../../core/prompt/prompt-context.ts";
import type { StepContext } from "../step-context.ts";
import { executorOf } from "./check-plan.ts";
import { planRoot } from "./plan-request.ts";

/** For a planner: everything that a plan can ask for. Empty in pipelines whose plans are documents. */
export function describeGrants(context: StepContext): PromptData {
  if (context.pipeline.plan !== "execution") return {};
  const { ports, settings, project } = context;
  const { agent, agentSettings, timeoutMs, maxBudgetUsd } = executorOf(context);
  const { tools } = ports.agents.create(agentSettings);
  const { commands, network } = settings.sandbox;
  return {
    access: [
      `Directory of the project: ${planRoot({ project })}. Your workspace is a copy of it. Write \`directories\` relative to it, or as absolute paths.`,
      "Everything in the project can be read. Nothing can be written but `directories`; `.` is the whole project.",
      tools === undefined
        ? `Tools of ${agent}: not known. Name those that it needs.`
        : `Tools of ${agent}:\n${tools.map(({ name, description }) => `- ${name}: ${description}`).join("\n")}`,
      `Commands: ${commands === null ? "every program of the system" : listOf(commands)}. They need the tool Bash.`,
      `Network hosts: ${listOf(network)}.`,
      `Limits: ${Math.round(timeoutMs / 60_000)} minutes${maxBudgetUsd === null ? "" : `, $${maxBudgetUsd}`}.`,
    ].join("\n"),
  };
}

function listOf(items: readonly string[]): string {
  return items.length === 0 ? "none" : items.join(", ");
}
