import { selectedCandidate, describeEarlierProposal } from "../../core/nightly/candidates.ts";
import type { DiffRules, Finding } from "../../policy/diff/finding.ts";
import type { FileChange } from "../../core/change/file-change.ts";
import { patchFingerprint } from "../../core/nightly/proposal-patch.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import { readNightResults } from "./night-results.ts";
import { findBlocker } from "./ledger.ts";
import type { StepContext, Work } from "../run/step-context.ts";

const DECIDED = ["published", "merged", "closed", "rejected"] as const;
const MAX_LEDGER = 10_000;
const MAX_FILE_BYTES = 5_000_000;

/** The files that the change may touch (those of the selected candidate) and must not touch (recently changed ones). */
export async function scopeRules(context: StepContext, work: Work): Promise<Pick<DiffRules, ScopeRule>> {
  const { outsideConcern } = context.pipeline.policy.change;
  const { analysis } = outsideConcern === "refuse" ? await readNightResults(context) : { analysis: null };
  return {
    concernFiles: (analysis === null ? null : selectedCandidate(analysis))?.files ?? null,
    recentFiles: await findRecentFiles(context, work),
  };
}

type ScopeRule = "concernFiles" | "recentFiles";

/** Files of the last commits. Empty if the pipeline allows changes to them. */
export async function findRecentFiles(context: StepContext, work: Work): Promise<readonly string[]> {
  const { ports, project, settings, pipeline } = context;
  if (pipeline.policy.change.recentFiles === "allow") return [];
  const commits = settings.improve.avoidRecentCommits;
  return ports.workspaces.recentFiles({ project: project.name, base: work.baseCommit, commits });
}

/** Finds a decided proposal with the same patch, even if its title differs. */
export async function findKnownChange(
  context: StepContext,
  changes: readonly FileChange[],
): Promise<readonly Finding[]> {
  if (!context.pipeline.policy.ledger) return [];
  const known = await findByPatch(context, patchFingerprint(changes, context.ports.digest));
  if (known === null) return [];
  const message = `The same change was proposed before: ${describeEarlierProposal(known)}`;
  return [{ rule: "known_change", severity: "error", path: changes[0]?.path ?? "", line: null, message }];
}

/** A proposal with the same patch or intent that a concurrent night published since this change was checked. */
export async function findPublishedMeanwhile(context: StepContext, work: Work): Promise<Proposal | null> {
  if (!context.pipeline.policy.ledger) return null;
  const same = await findByPatch(context, await readPatch(context, work));
  const { analysis } = await readNightResults(context);
  const candidate = analysis === null ? null : selectedCandidate(analysis);
  if (same !== null || analysis === null || candidate === null) return same;
  const wanted = { category: analysis.category, candidate, to: work.baseCommit };
  // An abandoned proposal does not block a change that is already implemented.
  return findBlocker(context, wanted, ({ task, status }) => task !== context.task.id && status !== "abandoned");
}

export async function readPatch({ ports, project, task }: StepContext, work: Work): Promise<string | null> {
  const [from, to] = [work.baseCommit, work.headCommit];
  const query = { project: project.name, task: task.id, from, to, maxFileBytes: MAX_FILE_BYTES };
  return patchFingerprint(await ports.workspaces.readChanges(query), ports.digest);
}

async function findByPatch({ ports, project, task }: StepContext, patch: string | null): Promise<Proposal | null> {
  if (patch === null) return null;
  const ledger = await ports.store.ledger.listProposals({
    project: project.name,
    statuses: DECIDED,
    limit: MAX_LEDGER,
  });
  return ledger.find((proposal) => proposal.patch === patch && proposal.task !== task.id) ?? null;
}
