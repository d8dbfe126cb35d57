import type { ExecutionPlan } from "../../core/outcomes/execution-plan.ts";
import { intersectCommands, type Allowed } from "./grant.ts";
import { coversRule, parseNetworkRules } from "./network-rule.ts";

export interface PlanLimits {
  readonly allowed: Allowed;
  /** The tools of the agent that will carry out the plan. Null if they are not known, and then they are not checked. */
  readonly tools: readonly string[] | null;
  /** Why directories of the plan cannot be written, a sentence each. */
  readonly directories: readonly string[];
  /** The task works directly in a person's directory. */
  readonly inPlace: boolean;
}

/** Returns what a plan asks for and cannot get, a sentence each, for the planner and for the person who decides. */
export function findPlanProblems(plan: ExecutionPlan, limits: PlanLimits): readonly string[] {
  const { allowed, tools } = limits;
  return [
    ...(tools === null ? [] : plan.tools.flatMap((tool) => refuseTool(tool, tools))),
    ...limits.directories,
    ...(limits.inPlace && plan.needs_git ? [NO_GIT_IN_PLACE] : []),
    ...(plan.commands ?? []).flatMap((command) => refuseCommand(command, allowed.commands)),
    ...(plan.needs_git ? refuseCommand("git", allowed.commands) : []),
    ...(plan.network ?? []).flatMap((host) => refuseHost(host, allowed.network)),
  ];
}

const NO_GIT_IN_PLACE =
  "`needs_git` is not possible: the task works in place, where `.git` is read-only. Without git it can be carried out here; otherwise submit it again without --in-place, in a git repository.";

function refuseTool(tool: string, known: readonly string[]): readonly string[] {
  const name = tool.split("(", 1)[0] ?? tool;
  return known.includes(name) ? [] : [`Tool "${tool}" does not exist. The agent has: ${known.join(", ")}.`];
}

function refuseCommand(command: string, allowed: readonly string[] | null): readonly string[] {
  const granted = intersectCommands([command], allowed);
  if (granted === null || granted.length > 0) return [];
  return [`Command "${command}" is not allowed. \`sandbox.commands\` lists: ${listOf(allowed ?? [])}.`];
}

function refuseHost(host: string, allowed: readonly string[]): readonly string[] {
  if (coversRule(parseNetworkRules(allowed).rules, host)) return [];
  return [`Host "${host}" is not allowed. \`sandbox.network\` lists: ${listOf(allowed)}.`];
}

function listOf(items: readonly string[]): string {
  return items.length === 0 ? "nothing" : items.join(", ");
}
