import { hasGivenUpItem } from "../../core/pipeline/items.ts";
import type { Task } from "../../core/task/task.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { ChangeRequest } from "../../ports/forge.ts";
import { readNightResults } from "./night-results.ts";
import { readPatch } from "./night-policy.ts";
import { markPublished, markUnpublished, selectedProposalId } from "./ledger.ts";
import type { StepContext, Work } from "../run/step-context.ts";

const MAX_CANDIDATES = 10_000;

/** Updates the ledger before the step is committed; repeating it after a crash changes nothing. `request` is null without a forge. */
export async function rememberPublished(
  context: StepContext,
  work: Work,
  request: Pick<ChangeRequest, "url" | "number"> | null,
): Promise<void> {
  const proposal = await currentProposal(context);
  const { url = null, number = null } = request ?? {};
  // It may have been merged or closed meanwhile.
  if (proposal === null || (wasPublished(proposal) && proposal.number === number)) return;
  const patch = await readPatch(context, work);
  await markPublished(context.ports, proposal.id, { url, number, patch, baseCommit: work.baseCommit });
}

/**
 * Marks a failed candidate as abandoned, so that the next night does not try it again. Published and rejected proposals keep
 * their status. A failed analysis selected nothing: the newest selection belongs to another item.
 */
export async function rememberAbandoned(context: StepContext, after: Pick<Task, "items">): Promise<void> {
  if (context.run.role === "analyze" || !hasGivenUpItem(context.task, after)) return;
  const proposal = await currentProposal(context);
  if (proposal?.status === "proposed") await markUnpublished(context.ports, proposal.id, "abandoned");
}

export async function isPublished(context: StepContext): Promise<boolean> {
  const proposal = await currentProposal(context);
  return proposal !== null && wasPublished(proposal);
}

function wasPublished({ status }: Proposal): boolean {
  return status === "published" || status === "merged" || status === "closed";
}

async function currentProposal(context: StepContext): Promise<Proposal | null> {
  const { ports, task, project, pipeline } = context;
  if (!pipeline.policy.ledger) return null;
  const { analysis } = await readNightResults(context);
  const id = analysis === null ? null : selectedProposalId(context, analysis);
  const query = { project: project.name, task: task.id, statuses: null, limit: MAX_CANDIDATES };
  return (await ports.store.ledger.listProposals(query)).find((each) => each.id === id) ?? null;
}
