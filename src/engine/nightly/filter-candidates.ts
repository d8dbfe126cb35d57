import { toAnalysis, chooseCandidate, type Analysis, type Choice } from "../../core/nightly/candidates.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import { countRecentCommits } from "./eligible-files.ts";
import { findRecentFiles } from "./night-policy.ts";
import { recordProposals, findKnownProposals, type KnownProposals } from "./ledger.ts";
import { outcomeOf, type StepContext, type Work } from "../run/step-context.ts";

/** Drops candidates that break the rules before one is implemented. The payload keeps the agent's own selection in `claimed`. */
export async function filterCandidates(context: StepContext, work: Work, outcome: Outcome): Promise<Outcome> {
  if (outcome.name !== "improvement_found") return outcome;
  const found = toAnalysis(outcome.payload);
  const analysis = { ...found, category: currentItem(context) ?? found.category };
  const choice = await choose(context, work, analysis);
  if (choice.selected === null) return noImprovement(outcome, choice);
  const { slug, ...selected } = choice.selected;
  const filtered: Analysis = {
    category: analysis.category,
    candidates: [...analysis.candidates.filter((each) => isOpen(each.rank, choice)), selected].toSorted(byRank),
    selected: selected.rank,
    slug,
    dropped: choice.dropped,
  };
  if (context.pipeline.policy.ledger)
    await recordProposals(context, { analysis: filtered, baseCommit: work.baseCommit });
  // The agent's summary describes its own selection, so it must not be used for another one.
  const hasSummary = outcome.payload.summary !== undefined && selected.rank === found.selected;
  const summary = hasSummary ? outcome.summary : selected.title;
  return { ...outcome, summary, payload: { ...outcome.payload, ...filtered, claimed: { selected: found.selected } } };
}

async function choose(context: StepContext, work: Work, analysis: Analysis): Promise<Choice> {
  const { ports, project, settings, pipeline } = context;
  const { ledger, change } = pipeline.policy;
  const base = work.baseCommit;
  const [recentFiles, recentCommits, known] = await Promise.all([
    findRecentFiles(context, work),
    countRecentCommits(ports, { project, settings, pipeline, base }),
    ledger ? findKnownProposals(context, analysis, base) : NO_PROPOSALS,
  ]);
  return chooseCandidate({
    ...analysis,
    slug: analysis.slug ?? null,
    recentFiles,
    recentCommits,
    refusesDependencies: change.dependencyFiles === "refuse",
    ...known,
    digest: ports.digest,
  });
}

const NO_PROPOSALS: KnownProposals = { ledger: [], churn: new Map() };

function currentItem({ task: { items } }: StepContext): string | null {
  return items?.list[items.at] ?? null;
}

function isOpen(rank: number, { dropped, selected }: Choice): boolean {
  return rank !== selected?.rank && dropped.every((each) => each.rank !== rank);
}

function byRank(one: { readonly rank: number }, other: { readonly rank: number }): number {
  return one.rank - other.rank;
}

function noImprovement(outcome: Outcome, { dropped }: Choice): Outcome {
  const [first] = dropped;
  const count =
    dropped.length === 1 ? "the only candidate was dropped" : `all ${dropped.length} candidates were dropped`;
  const reason =
    first === undefined ? "no candidate was named" : `${count}: ${dropped.map((each) => each.reason).join(" ")}`;
  return outcomeOf("no_improvement", reason, { claimed: outcome.payload, reason, dropped });
}
