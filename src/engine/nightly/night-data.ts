import { selectedCandidate, type Analysis } from "../../core/nightly/analysis.ts";
import { describeEarlierProposal } from "../../core/nightly/candidates.ts";
import { describeRules } from "../../core/nightly/rule.ts";
import { describeTriedItem } from "../../core/pipeline/items.ts";
import type { PromptData } from "../../core/prompt/prompt-context.ts";
import type { Role } from "../../core/task/role.ts";
import type { StepContext, Work } from "../run/step-context.ts";
import { readNightResults } from "./night-results.ts";
import { findRecentFiles } from "./night-policy.ts";

const MAX_LISTED = 200;

/** With `context: analysis`: what an analysis must not propose, and for all other roles what it selected. */
export async function nightData(context: StepContext, role: Role, work: Work): Promise<PromptData> {
  return role === "analyze" ? knownWork(context, work) : analysisOf(context, role);
}

/** The one that is made, for whoever makes it; all of them, for whoever judges or describes it. */
async function analysisOf(context: StepContext, role: Role): Promise<PromptData> {
  const { analysis } = await readNightResults(context);
  if (analysis === null) return {};
  const shown = role === "implement" ? selectedCandidate(analysis) : withoutSlug(analysis);
  return { analysis: JSON.stringify(shown, null, 2) };
}

function withoutSlug({ category, candidates, selected, dropped }: Analysis) {
  return { category, candidates, selected, dropped };
}

/** What would be refused anyway is better not proposed. */
async function knownWork(context: StepContext, work: Work): Promise<PromptData> {
  const { ports, project, settings, task, pipeline } = context;
  const { avoidRecentCommits } = settings.improve;
  const [recent, rules, proposals] = await Promise.all([
    findRecentFiles(context, work),
    ports.store.ledger.listRules({ project: project.name, at: ports.clock.now() }),
    pipeline.policy.ledger
      ? ports.store.ledger.listProposals({ project: project.name, statuses: DECIDED, limit: MAX_LISTED })
      : [],
  ]);
  const tried = (task.items?.tried ?? []).map(describeTriedItem);
  return {
    rules: describeRules(rules),
    avoid: listed(`Files of the last ${avoidRecentCommits} commits`, recent),
    proposals: listed("Proposed before", proposals.map(describeEarlierProposal)),
    tried: listed("Tried tonight already", tried),
  };
}

const DECIDED = ["published", "merged", "closed", "rejected", "abandoned"] as const;

function listed(title: string, given: readonly string[]): string {
  // The same was proposed in several categories.
  const lines = [...new Set(given)];
  if (lines.length === 0) return "";
  const more = lines.length > MAX_LISTED ? [`… and ${lines.length - MAX_LISTED} more`] : [];
  return [`${title}:`, ...lines.slice(0, MAX_LISTED).map((line) => `- ${line}`), ...more].join("\n");
}
