import { toAnalysis, type Analysis } from "../../core/nightly/analysis.ts";
import { chooseCandidate, type Choice } from "../../core/nightly/candidates.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import { recordProposals, seenBefore } from "./ledger.ts";
import type { Work } from "../run/prepare/prepare-work.ts";
import { outcomeOf, type StepContext } from "../run/step-context.ts";

/** What an analysis proposes is held against the rules before anybody works on it; what it claimed stays in the payload. */
export async function weighCandidates(context: StepContext, work: Work, outcome: Outcome): Promise<Outcome> {
  if (outcome.name !== "improvement_found" || context.task.items === null) return outcome;
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
  await recordProposals(context, { analysis: weighed, baseCommit: work.baseCommit });
  // What the analysis says of another than the one that is made would mislead.
  const isSaid = outcome.payload.summary !== undefined && selected.rank === found.selected;
  const summary = isSaid ? outcome.summary : selected.title;
  return { ...outcome, summary, payload: { ...outcome.payload, ...weighed, claimed: { selected: found.selected } } };
}

async function choose(context: StepContext, work: Work, analysis: Analysis): Promise<Choice> {
  const { ports, project, settings } = context;
  const commits = settings.improve.avoidRecentCommits;
  const [recentFiles, seen] = await Promise.all([
    ports.workspaces.recentFiles({ project: project.name, base: work.baseCommit, commits }),
    seenBefore(context, analysis, work.baseCommit),
  ]);
  return chooseCandidate({
    ...analysis,
    slug: analysis.slug ?? null,
    recentFiles,
    recentCommits: commits,
    ...seen,
    digest: ports.digest,
  });
}

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
