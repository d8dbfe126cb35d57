import type { OutcomeName } from "../core/outcome.ts";
import { outcomeOf, resultOf, type StepContext, type StepResult } from "./steps/step.ts";

/** With less than this, next to nothing can be written. */
const FULL_BYTES = 1_000_000;

const MAY_BE_THE_DISK: readonly OutcomeName[] = ["agent_error", "invalid_output", "checks_failed", "setup_failed", "no_changes"];

/** What fails while the disk is full fails because of it: nobody is blamed, and it is tried again when there is room. */
export async function blameDisk(context: StepContext, result: StepResult): Promise<StepResult> {
  const { name, summary } = result.outcome;
  if (!MAY_BE_THE_DISK.includes(name) || (await context.ports.runFiles.freeBytes()) >= FULL_BYTES) return result;
  const { exit, endedBy, costUsd, costBasis, tokens, pausedMs } = result;
  const outcome = outcomeOf("disk_full", `the disk is full: ${summary}`, { claimed: name });
  return resultOf(context, outcome, { exit, endedBy, costUsd, costBasis, tokens, pausedMs, error: outcome.summary });
}

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) return true;
  return /no space left on device|disk quota exceeded|disk\b.* is full/i.test(error.message) || isDiskFull(error.cause);
}
