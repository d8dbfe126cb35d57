import { findAllowance, findPublishDecision } from "../../../core/pipeline/advance/decide-checks.ts";
import { isDeciding, NO_CHECKS, ONLY_WARNINGS } from "../../../core/task/checks/judge-change.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { readStored } from "../../../core/outcomes/stored-outcome.ts";
import type { Run } from "../../../core/task/run.ts";
import type { Exchange } from "../../../core/task/task.ts";
import { checkPolicy } from "../checks/check-policy.ts";
import { outcomeOf, StepEnd, type StepContext, type Work } from "../step-context.ts";

/**
 * Only a commit that passed the checks and the verification is published, no matter how the task came here. Otherwise a person
 * decides about exactly this commit. Returns null if it may be published. Findings of the built-in review can never be
 * overruled here.
 */
export async function findUnverified(context: StepContext, work: Work): Promise<Outcome | null> {
  const runs = await listRuns(context);
  const doubt = findDoubt(context, runs, work);
  if (doubt === null && hasChecks(context)) return null;
  const { rejection, needsDecision, gates } = await checkPolicy(context, work);
  const problem = rejection ?? needsDecision;
  if (problem !== null) throw new StepEnd("refused", `the change must not be published as it is:\n${problem}`);
  if (findDecision(context, runs, work) !== null) return null;
  const payload = { commit: work.headCommit, gates };
  if (doubt !== null) return outcomeOf("checks_inconclusive", doubt, payload);
  // A pipeline without checks has only the built-in review.
  if (gates.length === 0) return null;
  return outcomeOf("checks_inconclusive", `the change alters what is checked (${gates.join(", ")})`, payload);
}

/** Why nothing vouches for this commit, and what people decided about it. Null if it passed everything on its own. */
export async function describeUnverified(context: StepContext, work: Work): Promise<string | null> {
  const reasons = [describeAllowance(context, work), await describeMissingChecks(context, work)];
  const known = reasons.filter((reason) => reason !== null);
  return known.length === 0 ? null : known.join("\n\n");
}

/** What the agent kept after a warning, and who allowed it. */
function describeAllowance({ task }: StepContext, { headCommit }: Work): string | null {
  const allowance = findAllowance(task, headCommit);
  if (allowance === null) return null;
  return `${allowance.about?.reason ?? ""}\n${allowance.by ?? "a person"} allowed it: ${allowance.reply?.["note"] ?? ""}`;
}

async function describeMissingChecks(context: StepContext, work: Work): Promise<string | null> {
  const runs = await listRuns(context);
  const decision = findDecision(context, runs, work);
  if (decision !== null) {
    const reason = decision.about?.reason ?? "the checks gave no result";
    return `${reason}; ${decision.by ?? "a person"} decided to publish it: ${decision.reply?.["note"] ?? ""}`;
  }
  if (!hasChecks(context)) return "the pipeline has no checks";
  const verdict = findVerdict(runs)?.stored;
  const checks = verdict?.name === "checks_passed" ? Object.keys(verdict.payload.checks ?? {}) : [];
  if (checks.length === 0) return NO_CHECKS;
  const { checks: configured, failOnWarning } = context.settings;
  const decides = configured.some((check) => checks.includes(check.name) && isDeciding(check, failOnWarning));
  return decides ? null : ONLY_WARNINGS;
}

function listRuns({ ports, task }: StepContext): Promise<readonly Run[]> {
  return ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
}

function hasChecks({ pipeline }: StepContext): boolean {
  return Object.values(pipeline.states).some(({ step }) => step.kind === "checks");
}

function hasVerification({ pipeline }: StepContext): boolean {
  return Object.values(pipeline.states).some(({ step }) => step.kind === "agent" && step.role === "verify");
}

/** Why the checks or the verification do not vouch for the commit. Null if they do, or if the pipeline has none. */
function findDoubt(context: StepContext, runs: readonly Run[], { headCommit }: Work): string | null {
  const checked = hasChecks(context) ? readChecks(runs, headCommit) : "passed";
  if (checked !== "passed") return `this commit did not pass the checks: ${checked}`;
  const verified = hasVerification(context) ? readVerification(runs) : "verified";
  if (verified === "verified") return null;
  return `the verification did not accept this commit: ${verified ?? "it was never verified"}`;
}

/** `passed`, or what is known about the commit instead. */
function readChecks(runs: readonly Run[], headCommit: string): string {
  const verdict = findVerdict(runs)?.stored;
  if (verdict === undefined) return "it was never checked";
  const isThisCommit = verdict.payload.commit === headCommit;
  if (verdict.name === "checks_passed") return isThisCommit ? "passed" : "it was changed after the checks";
  return `the newest checks ended as ${verdict.name}`;
}

/** The newest verdict about the work as the last agent left it. Null if there is none. */
function readVerification(runs: readonly Run[]): string | null {
  const lastWork = runs.findLastIndex(({ step, commit }) => step === "agent" && commit !== null);
  const verdict = runs
    .slice(lastWork + 1)
    .findLast(({ outcome }) => outcome === "verified" || outcome === "verify_failed");
  return verdict?.outcome ?? null;
}

/** A decision about this commit. It holds until the commit is checked again. */
function findDecision({ task }: StepContext, runs: readonly Run[], { headCommit }: Work): Exchange | null {
  const decision = findPublishDecision(task, headCommit);
  const checkedAt = findVerdict(runs)?.run.finishedAt ?? 0;
  return decision !== null && decision.at >= checkedAt ? decision : null;
}

/** The newest verdict of the checks. Runs that ended without one, such as interrupted ones, do not count. */
function findVerdict(runs: readonly Run[]) {
  for (const run of runs.toReversed()) {
    const stored = run.step === "checks" ? readStored(run) : null;
    switch (stored?.name) {
      case "checks_passed":
      case "checks_failed":
      case "checks_inconclusive":
      case "not_proven":
      case "policy_failed":
      case "refused":
        return { run, stored };
      default:
    }
  }
  return null;
}
