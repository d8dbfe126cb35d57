import { isFailure, type Outcome } from "../../../core/outcomes/outcome.ts";
import { bindVerdict } from "../../../core/pipeline/verdict.ts";
import { isInPlace, PROTECTED_NAMES } from "../../../core/task/in-place.ts";
import { CHANGING_ROLES, type Role } from "../../../core/task/role.ts";
import { collectWork, type CollectedWork } from "../conclude/collect-work.ts";
import { finishFileRecord } from "../conclude/record-files.ts";
import { scanWork, type ScannedWork } from "../conclude/scan-work.ts";
import { checkFilesBeforeAnalysis } from "../../nightly/eligible-files.ts";
import { checkBeforeAnalysis } from "../../nightly/night-over.ts";
import { checkPlan } from "../plan/check-plan.ts";
import { planRoot } from "../plan/plan-request.ts";
import { prepareWork } from "../prepare/prepare-work.ts";
import { endOf, runAgent, type AgentEnding } from "./run-agent.ts";
import { postReview } from "./post-review.ts";
import { runRankStep } from "./rank-step.ts";
import { prepareJob, wasStarted } from "../run-jobs.ts";
import { startAgent } from "./start-agent.ts";
import { filterCandidates } from "../../nightly/filter-candidates.ts";
import { outcomeOf, resultOf, type StepContext, type StepResult } from "../step-context.ts";

/** Runs an agent, collects its work and turns both into a result. */
export async function runAgentStep(context: StepContext): Promise<StepResult> {
  const { ports, run, task } = context;
  const role = roleOf(context);
  const isStarted = await wasStarted(ports, run.id);
  if (!isStarted && task.order !== null) return cancelled(context);
  if (role === "rank") return runRankStep(context);
  const over = isStarted ? null : await checkBeforeAnalysis(context, role);
  if (over !== null) return resultOf(context, over);
  await prepareJob(ports, run.id);
  if (isInPlace(task)) return runInPlace(context, role);
  const work = await prepareWork(context);
  const excluded = isStarted ? null : await checkFilesBeforeAnalysis(context, role, work);
  if (excluded !== null) return resultOf(context, excluded, { work });
  const ending = await runAgent(context, role, () => startAgent(context, role, work));
  const { outcome } = ending;
  const collected = await collectWork(context, work, { role, outcome });
  const recorded = await finishFileRecord(context, role, collected);
  const scanned = await scanWork(context, collected, recorded.written);
  ports.hooks.passCheckpoint("work.collected");
  const bound = role === "review" ? bindVerdict(outcome, work.headCommit) : outcome;
  const checked = await checkPlan(context, work, bound);
  const filtered = role === "analyze" ? await filterCandidates(context, work, checked) : checked;
  const failures = [...collected.failures, ...recorded.failures, ...(await postReview(context, filtered, work))];
  ports.hooks.passCheckpoint("review.posted");
  const artifacts = [...collected.artifacts, ...recorded.artifacts];
  // A plan may write only outside of the repository.
  const isEmpty = collected.isEmpty && recorded.artifacts.length === 0;
  const kept = { ...collected, isEmpty, failures, artifacts };
  const result = toResult(context, { ...ending, outcome: filtered }, { collected: kept, role });
  return rejectSecrets({ ...result, removedArtifacts: recorded.removedArtifacts }, scanned);
}

/** There are no commits: the agent changes the person's files, and nothing has to be collected. */
async function runInPlace(context: StepContext, role: Role): Promise<StepResult> {
  const ending = await runAgent(context, role, () => startAgent(context, role, null));
  if (ending.record === null) await context.ports.checkouts.removePlaceholders(planRoot(context), PROTECTED_NAMES);
  const { artifacts, removedArtifacts, failures, written } = await finishFileRecord(context, role, null);
  const scanned = await scanWork(context, null, written);
  const outcome = await checkPlan(context, null, ending.outcome);
  const error = isFailure(outcome) ? outcome.summary : null;
  const end = { ...endOf(context, ending), error, artifacts, removedArtifacts, artifactFailures: failures };
  return rejectSecrets(resultOf(context, outcome, end), scanned);
}

function roleOf({ run, state }: StepContext): Role {
  if (run.role !== null) return run.role;
  throw new Error(`run ${run.id} in state ${state.name} has no role`);
}

function cancelled(context: StepContext): StepResult {
  return resultOf(context, outcomeOf("cancel", "cancelled before it started"), { endedBy: "cancel" });
}

function toResult(
  context: StepContext,
  ending: AgentEnding,
  { collected, role }: { readonly collected: CollectedWork; readonly role: Role },
): StepResult {
  const outcome = rejectMissingResult(ending.outcome, collected, role);
  return resultOf(context, outcome, {
    ...endOf(context, ending),
    error: isFailure(outcome) ? outcome.summary : null,
    commit: collected.commit,
    work: collected.work,
    artifacts: collected.artifacts,
    artifactFailures: collected.failures,
  });
}

/** A run that failed for another reason keeps that reason, because it is repeated or shown to a person anyway. */
function rejectSecrets(result: StepResult, { checks, rejection }: ScannedWork): StepResult {
  const isRejected = rejection !== null && !isFailure(result.outcome);
  return { ...result, checks, ...(isRejected && { outcome: rejection, error: rejection.summary }) };
}

/** The agent reported success without a result. The payload keeps its report. */
function rejectMissingResult(outcome: Outcome, collected: CollectedWork, role: Role): Outcome {
  const missing = findMissingResult(outcome, collected, role);
  if (missing === null) return outcome;
  const payload = { claimed: outcome.name, summary: outcome.summary };
  return outcomeOf("no_changes", `it reported "${outcome.summary}" but ${missing}`, payload);
}

function findMissingResult(outcome: Outcome, { isEmpty }: CollectedWork, role: Role): string | null {
  if (outcome.name === "implemented") return CHANGING_ROLES.includes(role) && isEmpty ? "changed no file" : null;
  if (outcome.name !== "completed" || !isEmpty || (outcome.payload.result ?? "").trim() !== "") return null;
  return "delivered neither a result nor a file";
}
