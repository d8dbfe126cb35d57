import { selectedCandidate, describeEarlierProposal, type Analysis } from "../../core/nightly/candidates.ts";
import { describeRules } from "../../core/nightly/rule.ts";
import { describeTriedItem } from "../../core/pipeline/items.ts";
import type { PromptData } from "../../core/prompt/prompt-context.ts";
import type { Role } from "../../core/task/role.ts";
import type { StepContext, Work } from "../run/step-context.ts";
import { DECIDED_STATUSES } from "./ledger.ts";
import { readNightResults } from "./night-results.ts";
import { findRecentFiles } from "./night-policy.ts";

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
  const { avoidRecentCommits } = settings.improve;
  const [recent, rules, proposals] = await Promise.all([
    findRecentFiles(context, work),
    ports.store.ledger.listRules({ project: project.name, at: ports.clock.now() }),
    pipeline.policy.ledger
      ? ports.store.ledger.listProposals({ project: project.name, statuses: DECIDED_STATUSES, limit: MAX_LISTED })
      : [],
  ]);
  const tried = (task.items?.tried ?? []).map(describeTriedItem);
  return {
    rules: describeRules(rules),
    avoid: formatList(`Files of the last ${avoidRecentCommits} commits`, recent),
    proposals: formatList("Proposed before", proposals.map(describeEarlierProposal)),
    tried: formatList("Tried tonight already", tried),
  };
}

function formatList(title: string, entries: readonly string[]): string {
  // The same proposal may exist in several categories.
  const lines = [...new Set(entries)];
  if (lines.length === 0) return "";
  const more = lines.length > MAX_LISTED ? [`… and ${lines.length - MAX_LISTED} more`] : [];
  return [`${title}:`, ...lines.slice(0, MAX_LISTED).map((line) => `- ${line}`), ...more].join("\n");
}
