import { toAnalysis, type Analysis } from "../../core/nightly/analysis.ts";
import { chooseCandidate, type Choice } from "../../core/nightly/candidates.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import { findRecentFiles } from "./night-policy.ts";
import { recordProposals, findKnownProposals, type KnownProposals } from "./ledger.ts";
import { outcomeOf, type StepContext, type Work } from "../run/step-context.ts";

/** What an analysis proposes is held against the rules before anybody works on it; what it claimed stays in the payload. */
export async function filterCandidates(context: StepContext, work: Work, outcome: Outcome): Promise<Outcome> {
  if (outcome.name !== "improvement_found") return outcome;
  const found = toAnalysis(outcome.payload);
  const analysis = { ...found, category: currentItem(context) ?? found.category };
  const choice = await choose(context, work, analysis);
  if (choice.selected === null) return nothingLeft(outcome, choice);
  const { slug, ...selected } = choice.selected;
  const weighed: Analysis = {
    category: analysis.category,
    candidates: [...analysis.candidates.filter((each) => isOpen(each.rank, choice)), selected].toSorted(byRank),
    selected: selected.rank,
    slug,
    dropped: choice.dropped,
  };
  if (context.pipeline.policy.ledger)
    await recordProposals(context, { analysis: weighed, baseCommit: work.baseCommit });
  // What the analysis says of another than the one that is made would mislead.
  const isSaid = outcome.payload.summary !== undefined && selected.rank === found.selected;
  const summary = isSaid ? outcome.summary : selected.title;
  return { ...outcome, summary, payload: { ...outcome.payload, ...weighed, claimed: { selected: found.selected } } };
}

async function choose(context: StepContext, work: Work, analysis: Analysis): Promise<Choice> {
  const { ports, settings, pipeline } = context;
  const { ledger, change } = pipeline.policy;
  const [recentFiles, seen] = await Promise.all([
    findRecentFiles(context, work),
    ledger ? findKnownProposals(context, analysis, work.baseCommit) : NOTHING_SEEN,
  ]);
  return chooseCandidate({
    ...analysis,
    slug: analysis.slug ?? null,
    recentFiles,
    recentCommits: settings.improve.avoidRecentCommits,
    refusesDependencies: change.dependencyFiles === "refuse",
    ...seen,
    digest: ports.digest,
  });
}

const NOTHING_SEEN: KnownProposals = { ledger: [], churn: new Map() };

function currentItem({ task: { items } }: StepContext): string | null {
  return items?.list[items.at] ?? null;
}

function isOpen(rank: number, { dropped, selected }: Choice): boolean {
  return rank !== selected?.rank && dropped.every((each) => each.rank !== rank);
}

function byRank(one: { readonly rank: number }, other: { readonly rank: number }): number {
  return one.rank - other.rank;
}

function nothingLeft(outcome: Outcome, { dropped }: Choice): Outcome {
  const [first] = dropped;
  const many =
    dropped.length === 1 ? "the only candidate was dropped" : `all ${dropped.length} candidates were dropped`;
  const reason =
    first === undefined ? "no candidate was named" : `${many}: ${dropped.map((each) => each.reason).join(" ")}`;
  return outcomeOf("no_improvement", reason, { claimed: outcome.payload, reason, dropped });
}
