import { selectedCandidate } from "../../core/nightly/analysis.ts";
import { describeEarlierProposal } from "../../core/nightly/candidates.ts";
import type { DiffRules, Finding } from "../../policy/diff/finding.ts";
import type { FileChange } from "../../core/change/file-change.ts";
import { patchFingerprint } from "../../core/nightly/proposal-patch.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import { readNightResults } from "./night-results.ts";
import { blockedBy } from "./ledger.ts";
import type { StepContext, Work } from "../run/step-context.ts";

const DECIDED = ["published", "merged", "closed", "rejected"] as const;
const MAX_LEDGER = 10_000;
const MAX_FILE_BYTES = 5_000_000;

/** Which files the change may touch: those that were selected, and none that others may be working on. */
export async function scopeRules(context: StepContext, work: Work): Promise<Pick<DiffRules, ScopeRule>> {
  const { outsideConcern } = context.pipeline.policy.change;
  const { analysis } = outsideConcern === "refuse" ? await readNightResults(context) : { analysis: null };
  return {
    concernFiles: (analysis === null ? null : selectedCandidate(analysis))?.files ?? null,
    recentFiles: await findRecentFiles(context, work),
  };
}

type ScopeRule = "concernFiles" | "recentFiles";

/** Files of the last commits, where the pipeline refuses changes to them. */
export async function findRecentFiles(context: StepContext, work: Work): Promise<readonly string[]> {
  const { ports, project, settings, pipeline } = context;
  if (pipeline.policy.change.recentFiles === "allow") return [];
  const commits = settings.improve.avoidRecentCommits;
  return ports.workspaces.recentFiles({ project: project.name, base: work.baseCommit, commits });
}

/** The very same change in other words: the ledger knows it by what it changes. */
export async function findKnownChange(
  context: StepContext,
  changes: readonly FileChange[],
): Promise<readonly Finding[]> {
  if (!context.pipeline.policy.ledger) return [];
  const known = await findByPatch(context, patchFingerprint(changes, context.ports.digest));
  if (known === null) return [];
  const message = `This very change was proposed before: ${describeEarlierProposal(known)}`;
  return [{ rule: "known_change", severity: "error", path: changes[0]?.path ?? "", line: null, message }];
}

/** Nights may run beside each other: what another one has published since this one was checked, by change or by intent. */
export async function findPublishedMeanwhile(context: StepContext, work: Work): Promise<Proposal | null> {
  if (!context.pipeline.policy.ledger) return null;
  const same = await findByPatch(context, await readPatch(context, work));
  const { analysis } = await readNightResults(context);
  const candidate = analysis === null ? null : selectedCandidate(analysis);
  if (same !== null || analysis === null || candidate === null) return same;
  const wanted = { category: analysis.category, candidate, to: work.baseCommit };
  // What others gave up stands in nobody's way who has it done.
  return blockedBy(context, wanted, ({ task, status }) => task !== context.task.id && status !== "abandoned");
}

export async function readPatch({ ports, project, task }: StepContext, work: Work): Promise<string | null> {
  const [from, to] = [work.baseCommit, work.headCommit];
  const asked = { project: project.name, task: task.id, from, to, maxFileBytes: MAX_FILE_BYTES };
  return patchFingerprint(await ports.workspaces.readChanges(asked), ports.digest);
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
