import { z } from "zod";
import { anyText, line, lines, maybe, paths, summary, text } from "./payload-fields.ts";

const estimate = z.object({
  tokens: z.int().min(0),
  minutes: z.number().min(0),
  usd: maybe(z.number().min(0)).optional(),
});

/** They can only lower the limits of the role, the task and the budget. */
const limits = z.object({
  minutes: maybe(z.number().min(1)).optional(),
  usd: maybe(z.number().positive()).optional(),
});

/** The plan of one later run: its prompt, and everything that it is granted. */
export const executionPlan = z.object({
  summary,
  prompt: text,
  system_prompt: maybe(anyText),
  tools: lines,
  directories: paths,
  /** Missing: every program that the project allows. */
  commands: maybe(lines).optional(),
  /** Missing: no host. */
  network: maybe(lines).optional(),
  needs_git: z.boolean(),
  estimate,
  limits: maybe(limits).optional(),
  reasoning: text,
});

/** The plan that a person sees and may edit. */
export const editablePlan = executionPlan.extend({
  /** Directories it may also write, because the person who submitted the task allowed them. */
  added_directories: paths.optional(),
});

const ratio = z.number().nullable();
const pastEstimates = z.object({ runs: z.int(), tokens: ratio, minutes: ratio, usd: ratio });

/** As the engine stores it. */
export const checkedPlan = editablePlan.extend({
  /** What the plan asks for and cannot get. It cannot be approved before this is settled. */
  problems: z.array(line).max(100).optional(),
  /** Why `--auto-approve` is not enough for this plan. Missing if there is no policy, or the task does not ask for it. */
  approval_reasons: z.array(z.string()).optional(),
  /** How far estimates of earlier plans were off. Missing if there are too few of them. */
  past_estimates: pastEstimates.optional(),
});

export type ExecutionPlan = z.output<typeof checkedPlan>;

/** What the plan asks for and cannot get. Empty for a plan of another kind. */
export function planProblems(plan: Readonly<Record<string, unknown>> | null): readonly string[] {
  return readExecutionPlan(plan)?.problems ?? [];
}

/** Everything that the plan makes writable. */
export function writableDirectories({ directories, added_directories: added = [] }: ExecutionPlan): readonly string[] {
  return [...directories, ...added];
}

/** The plan of a task whose pipeline has execution plans. Null for any other plan. */
export function readExecutionPlan(plan: Readonly<Record<string, unknown>> | null): ExecutionPlan | null {
  return checkedPlan.safeParse(plan).data ?? null;
}
