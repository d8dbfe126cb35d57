import { selectedCandidate, type Analysis } from "../../../core/nightly/analysis.ts";
import type { PromptData } from "../../../core/prompt/prompt-context.ts";
import { describeKnown } from "../../../core/nightly/candidates.ts";
import { tellTried } from "../../../core/pipeline/items.ts";
import { describeRules } from "../../../core/nightly/rule.ts";
import type { Role } from "../../../core/task/role.ts";
import { readHandedOver } from "../publish/describe-work.ts";
import { describeCheck } from "../../../core/task/describe-check.ts";
import type { Work } from "../prepare/prepare-work.ts";
import type { StepContext } from "../step-context.ts";

const MAX_DIFF_BYTES = 200_000;
const MAX_LISTED = 200;
const READS_THE_CHANGE: readonly Role[] = ["review", "verify", "describe"];
const READS_THE_CHECKS: readonly Role[] = ["verify", "describe"];

/** What the run must know beyond the task itself. The agent is shown what stands, never how it came about. */
export async function gatherData(context: StepContext, role: Role, work: Work): Promise<PromptData> {
  // Whoever holds the forge's token is told nothing that another agent wrote, but for the title.
  if (role === "publish") return {};
  const isNightly = context.task.items !== null;
  return {
    ...(READS_THE_CHANGE.includes(role) && (await changeOf(context, work))),
    ...(READS_THE_CHECKS.includes(role) && (await checksOf(context))),
    ...(isNightly && (role === "analyze" ? await whatIsKnown(context, work) : await analysisOf(context, role))),
  };
}

async function changeOf({ ports, task, project }: StepContext, work: Work): Promise<PromptData> {
  if (work.baseCommit === work.headCommit) return {};
  const range = { from: work.baseCommit, to: work.headCommit, maxBytes: MAX_DIFF_BYTES };
  const diff = await ports.workspaces.diff({ project: project.name, task: task.id, ...range });
  const [patch, cut] = [ports.secrets.redact(diff.patch), diff.cut];
  return { diff: cut ? `${patch}\n[the rest is left out: read the files]` : patch };
}

/** As the engine saw them: whoever made the change has no say in it. */
async function checksOf({ ports, task }: StepContext): Promise<PromptData> {
  const checks = await ports.store.tasks.listChecks(task.id);
  const newest = checks.filter(({ run }) => run === checks.at(-1)?.run);
  return { checks: newest.map(describeCheck).join("\n\n") };
}

/** The one that is made, for whoever makes it; all of them, for whoever judges or describes it. */
async function analysisOf(context: StepContext, role: Role): Promise<PromptData> {
  const { analysis } = await readHandedOver(context);
  if (analysis === null) return {};
  const shown = role === "implement" ? selectedCandidate(analysis) : withoutSlug(analysis);
  return { analysis: JSON.stringify(shown, null, 2) };
}

function withoutSlug({ category, candidates, selected, dropped }: Analysis) {
  return { category, candidates, selected, dropped };
}

/** What would be refused anyway is better not proposed. */
async function whatIsKnown({ ports, project, settings, task }: StepContext, work: Work): Promise<PromptData> {
  const { avoidRecentCommits } = settings.improve;
  const [recent, rules, proposals] = await Promise.all([
    ports.workspaces.recentFiles({ project: project.name, base: work.baseCommit, commits: avoidRecentCommits }),
    ports.store.ledger.listRules({ project: project.name, at: ports.clock.now() }),
    ports.store.ledger.listProposals({ project: project.name, statuses: DECIDED, limit: MAX_LISTED }),
  ]);
  const tried = (task.items?.tried ?? []).map(tellTried);
  return {
    rules: describeRules(rules),
    avoid: listed(`Files of the last ${avoidRecentCommits} commits`, recent),
    proposals: listed("Proposed before", proposals.map(describeKnown)),
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
