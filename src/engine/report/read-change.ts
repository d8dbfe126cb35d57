import { assessRisk, readingMinutes, type ChangedFile, type ChangeFacts } from "../../core/report/risk.ts";
import type { ReportedChange } from "../../core/report/report.ts";
import { findProof } from "../../core/task/checks/proof.ts";
import { reviewsOf } from "../../core/task/documents/review.ts";
import type { CheckResult } from "../../core/task/run.ts";
import type { Artifact, Task } from "../../core/task/task.ts";
import type { FileStat } from "../../ports/workspace/diff-stats.ts";
import type { StoreReader } from "../../ports/store-mutations.ts";
import { rulesIn } from "../../policy/diff/describe-findings.ts";
import { pipelineOf, type PipelinePorts } from "../pipeline-of.ts";

export type ChangePorts = PipelinePorts & { readonly store: StoreReader };

export const DIFF_POLICY = "diff-policy";

/** The published change of a task. Null if its branch is not on the remote. */
export async function readChange(ports: ChangePorts, task: Task): Promise<ReportedChange | null> {
  const artifacts = await ports.store.tasks.listArtifacts(task.id);
  if (!artifacts.some(({ type }) => type === "branch")) return null;
  const checks = await ports.store.tasks.listChecks(task.id);
  const change = await assessChange(ports, task, {
    artifacts,
    files: listChangedFiles(artifacts),
    checks: newestOf(checks),
  });
  return { ...change, proof: findProof(checks)?.result ?? null };
}

export interface RecordedChange {
  readonly artifacts: readonly Artifact[];
  readonly files: readonly ChangedFile[];
  readonly checks: readonly CheckResult[];
}

/** How risky it is to merge this change, and how long it takes to read. */
export async function assessChange(
  ports: ChangePorts,
  task: Task,
  { artifacts, files, checks }: RecordedChange,
): Promise<Omit<ReportedChange, "proof">> {
  const hasRequest = artifacts.some(({ type }) => type === "change_request");
  const facts: ChangeFacts = {
    files,
    findings: checks.filter(({ name }) => name === DIFF_POLICY).flatMap(({ tail }) => rulesIn(tail)),
    checks: checks.filter(({ name }) => name !== DIFF_POLICY),
    ...(await readReview(ports, task, hasRequest)),
  };
  return { files, risk: assessRisk(facts), readingMinutes: readingMinutes(files) };
}

/** Empty if nothing was collected, as for the change request of someone else. */
export function listChangedFiles(artifacts: readonly Artifact[]): readonly FileStat[] {
  const diff = artifacts.findLast(({ type }) => type === "diff");
  // The cast is safe: only `collectWork` writes artifacts of this type.
  return (diff?.data["files"] ?? []) as readonly FileStat[];
}

/** The newest result of each check. */
export async function listNewestChecks(
  { store }: Pick<ChangePorts, "store">,
  task: Task,
): Promise<readonly CheckResult[]> {
  return newestOf(await store.tasks.listChecks(task.id));
}

function newestOf(checks: readonly CheckResult[]): readonly CheckResult[] {
  return [...new Map(checks.map((check) => [check.name, check])).values()];
}

async function readReview(
  ports: ChangePorts,
  task: Task,
  hasRequest: boolean,
): Promise<Pick<ChangeFacts, "review" | "openCritical">> {
  const newest = reviewsOf(task).at(-1);
  if (newest === undefined)
    return { review: (await isReviewDue(ports, task, hasRequest)) ? "missing" : "not_due", openCritical: 0 };
  const critical = newest.comments.filter(({ severity, answer }) => severity === "critical" && answer === null);
  return {
    review: newest.commit === task.headCommit ? newest.verdict : "missing",
    openCritical: critical.length,
  };
}

/** False if the pipeline can no longer be parsed, because then it is not known. */
async function isReviewDue(ports: ChangePorts, task: Task, hasRequest: boolean): Promise<boolean> {
  try {
    const { states } = await pipelineOf(ports, task);
    const reviews = Object.values(states).filter(({ step }) => step.kind === "agent" && step.role === "review");
    // Some pipelines review only at a forge.
    return reviews.some(({ when }) => when?.fact !== "forge" || when.holds === hasRequest);
  } catch {
    return false;
  }
}
