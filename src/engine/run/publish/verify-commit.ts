import { findPublishDecision } from "../../../core/pipeline/decide-checks.ts";
import { NO_CHECKS } from "../../../core/task/judge-change.ts";
import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { readStored } from "../../../core/outcomes/stored-outcome.ts";
import { checkPolicy } from "../checks/check-policy.ts";
import { outcomeOf, StepEnd, type StepContext, type Work } from "../step-context.ts";

/**
 * Only a commit that passed the checks is published, no matter how the task came here. Otherwise a person decides about
 * exactly this commit. Returns null if it may be published. Findings of the built-in review can never be overruled here.
 */
export async function findUnverified(context: StepContext, work: Work): Promise<Outcome | null> {
  const { task } = context;
  const judgement = await readJudgement(context, work);
  if (judgement === "passed") return null;
  const { rejection, needsDecision, gates } = await checkPolicy(context, work);
  const problem = rejection ?? needsDecision;
  if (problem !== null) throw new StepEnd("refused", `the change must not be published as it is:\n${problem}`);
  if (findPublishDecision(task, work.headCommit) !== null) return null;
  const payload = { commit: work.headCommit, gates };
  if (hasChecks(context))
    return outcomeOf("checks_inconclusive", `this commit did not pass the checks: ${judgement}`, payload);
  // A pipeline without checks has only the built-in review.
  if (gates.length === 0) return null;
  return outcomeOf("checks_inconclusive", `the change alters what is checked (${gates.join(", ")})`, payload);
}

/** Why nothing vouches for this commit, and who decided to publish it. Null if it passed the checks. */
export async function describeUnverified(context: StepContext, work: Work): Promise<string | null> {
  const decision = findPublishDecision(context.task, work.headCommit);
  if (decision !== null) {
    const reason = decision.about?.reason ?? "the checks gave no result";
    return `${reason}; ${decision.by ?? "a person"} decided to publish it: ${decision.reply?.["note"] ?? ""}`;
  }
  if (!hasChecks(context)) return "the pipeline has no checks";
  const passed = await findVerdict(context);
  const hasRun = passed?.name === "checks_passed" && Object.keys(passed.payload.checks ?? {}).length > 0;
  return hasRun ? null : NO_CHECKS;
}

function hasChecks({ pipeline }: StepContext): boolean {
  return Object.values(pipeline.states).some(({ step }) => step.kind === "checks");
}

/** `passed`, or what is known about the commit instead. */
async function readJudgement(context: StepContext, { headCommit }: Work): Promise<string> {
  const verdict = await findVerdict(context);
  if (verdict === null) return "it was never checked";
  const isThisCommit = verdict.payload.commit === headCommit;
  if (verdict.name === "checks_passed") return isThisCommit ? "passed" : "it was changed after the checks";
  return `the newest checks ended as ${verdict.name}`;
}

/** The newest verdict of the checks. Runs that ended without one, such as interrupted ones, do not count. */
async function findVerdict({ ports, task }: StepContext) {
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  for (const run of runs.toReversed()) {
    const stored = run.step === "checks" ? readStored(run) : null;
    switch (stored?.name) {
      case "checks_passed":
      case "checks_failed":
      case "checks_inconclusive":
      case "policy_failed":
      case "refused":
        return stored;
      default:
    }
  }
  return null;
}
