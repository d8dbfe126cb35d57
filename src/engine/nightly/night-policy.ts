import { selectedCandidate, describeEarlierProposal, type Analysis } from "../../core/nightly/candidates.ts";
import type { DiffRules, Finding } from "../../policy/diff/finding.ts";
import type { FileChange } from "../../core/change/file-change.ts";
import { patchFingerprint } from "../../core/nightly/proposal-patch.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import { readNightResults } from "./night-results.ts";
import { countRecentCommits, findEligibleFiles, summarizeExcluded, type EligibleFiles } from "./eligible-files.ts";
import { findBlocker, DECIDED_STATUSES } from "./ledger.ts";
import type { StepContext, Work } from "../run/step-context.ts";
import { lastCommits } from "../../core/nightly/recent-commits.ts";
import { describeRules } from "../../core/nightly/rule.ts";
import { describeTriedItem } from "../../core/pipeline/items.ts";
import type { PromptData } from "../../core/prompt/prompt-context.ts";
import type { Role } from "../../core/task/role.ts";

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
  const base = work.baseCommit;
  const commits = await countRecentCommits(ports, { project, settings, pipeline, base });
  return commits === 0 ? [] : ports.workspaces.recentFiles({ project: project.name, base, commits });
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
    patch,
    limit: MAX_LEDGER,
  });
  return ledger.find((proposal) => proposal.task !== task.id) ?? null;
}

const MAX_LISTED = 200;

/** Prompt data for `context: analysis`: for an analysis what it must not propose, for all other roles its result. */
export async function nightPromptData(context: StepContext, role: Role, work: Work): Promise<PromptData> {
  return role === "analyze" ? exclusionData(context, work) : analysisData(context, role);
}

/** The implementer gets the selected candidate. Roles that verify or describe the change get all of them. */
async function analysisData(context: StepContext, role: Role): Promise<PromptData> {
  const { analysis } = await readNightResults(context);
  if (analysis === null) return {};
  const shown = role === "implement" ? selectedCandidate(analysis) : withoutSlug(analysis);
  return { analysis: JSON.stringify(shown, null, 2) };
}

function withoutSlug({ category, candidates, selected, dropped }: Analysis) {
  return { category, candidates, selected, dropped };
}

/** What the engine would drop anyway, so that the agent does not propose it. */
async function exclusionData(context: StepContext, work: Work): Promise<PromptData> {
  const { ports, project, settings, task, pipeline } = context;
  const [files, rules, proposals] = await Promise.all([
    findEligibleFiles(ports, { project, settings, pipeline, base: work.baseCommit }),
    ports.store.ledger.listRules({ project: project.name, at: ports.clock.now() }),
    pipeline.policy.ledger
      ? ports.store.ledger.listProposals({ project: project.name, statuses: DECIDED_STATUSES, limit: MAX_LISTED })
      : [],
  ]);
  const tried = (task.items?.tried ?? []).map(describeTriedItem);
  return {
    rules: describeRules(rules),
    avoid: describeExcluded(files),
    proposals: formatList("Proposed before", proposals.map(describeEarlierProposal)),
    tried: formatList("Tried tonight already", tried),
  };
}

function describeExcluded(files: EligibleFiles): string {
  const { recent, protectedFiles } = summarizeExcluded(files);
  const lists = [
    formatList(`Changed by ${lastCommits(files.recentCommits)}`, recent),
    formatList("Define dependencies or checks", protectedFiles),
  ].filter((list) => list !== "");
  if (lists.length === 0) return "";
  const count = `A candidate may touch ${files.eligible} of the ${files.all.length} files, and new ones. It must not touch the following; a directory ends with a slash and stands for all of its files.`;
  return [count, ...lists].join("\n\n");
}

function formatList(title: string, entries: readonly string[]): string {
  // The same proposal may exist in several categories.
  const lines = [...new Set(entries)];
  if (lines.length === 0) return "";
  const more = lines.length > MAX_LISTED ? [`… and ${lines.length - MAX_LISTED} more`] : [];
  return [`${title}:`, ...lines.slice(0, MAX_LISTED).map((line) => `- ${line}`), ...more].join("\n");
}
