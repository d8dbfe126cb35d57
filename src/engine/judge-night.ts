import { selectedCandidate } from "../core/analysis.ts";
import { describeKnown } from "../core/candidates.ts";
import type { DiffRules, Finding } from "../core/diff-policy/finding.ts";
import type { FileChange } from "../core/file-change.ts";
import { patchFingerprint } from "../core/proposal-patch.ts";
import { readHandedOver } from "./describe-work.ts";
import type { Work } from "./prepare-work.ts";
import type { StepContext } from "./steps/step.ts";

const DECIDED = ["published", "merged", "closed", "rejected"] as const;
const MAX_LEDGER = 10_000;

function isNightly({ pipeline }: StepContext): boolean {
  return pipeline.name === "improve";
}

/** A night touches what was selected, and nothing that others may be working on. */
export async function rulesOfTheNight(context: StepContext, work: Work): Promise<Partial<DiffRules>> {
  if (!isNightly(context)) return {};
  const { ports, project, settings } = context;
  const { analysis } = await readHandedOver(context);
  const commits = settings.improve.avoidRecentCommits;
  return {
    concernFiles: (analysis === null ? null : selectedCandidate(analysis))?.files ?? null,
    recentFiles: await ports.workspaces.recentFiles({ project: project.name, base: work.baseCommit, commits }),
  };
}

/** The very same change in other words: the ledger knows it by what it changes. */
export async function findKnownChange(
  context: StepContext,
  changes: readonly FileChange[],
): Promise<readonly Finding[]> {
  if (!isNightly(context)) return [];
  const { ports, project, task } = context;
  const patch = patchFingerprint(changes, ports.digest);
  if (patch === null) return [];
  const ledger = await ports.store.listProposals({ project: project.name, statuses: DECIDED, limit: MAX_LEDGER });
  const known = ledger.find((proposal) => proposal.patch === patch && proposal.task !== task.id);
  if (known === undefined) return [];
  const message = `This very change was proposed before: ${describeKnown(known)}`;
  return [{ rule: "known_change", severity: "error", path: changes[0]?.path ?? "", line: null, message }];
}
