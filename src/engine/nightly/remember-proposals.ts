import { hasGivenUpItem } from "../../core/pipeline/items.ts";
import type { Task } from "../../core/task/task.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { ChangeRequest } from "../../ports/forge.ts";
import { readNightResults } from "./night-results.ts";
import { readPatch } from "./night-policy.ts";
import { markPublished, markUnpublished, selectedProposal } from "./ledger.ts";
import type { StepContext, Work } from "../run/step-context.ts";

const MAX_CANDIDATES = 10_000;

/**
 * The ledger learns of what was published before the step is committed: said again after a crash, it changes nothing.
 * `request`: null where the project has no forge.
 */
export async function rememberPublished(
  context: StepContext,
  work: Work,
  request: Pick<ChangeRequest, "url" | "number"> | null,
): Promise<void> {
  const proposal = await currentProposal(context);
  const { url = null, number = null } = request ?? {};
  // What became of it meanwhile stays so.
  if (proposal === null || (isOut(proposal) && proposal.number === number)) return;
  const patch = await readPatch(context, work);
  await markPublished(context.ports, proposal.id, { url, number, patch, baseCommit: work.baseCommit });
}

/**
 * What was tried and given up is not tried again the next night; what is out was not given up, whatever failed after, and
 * what a person refused stays refused. An analysis that broke selected nothing: the newest selection is another item's.
 */
export async function rememberAbandoned(context: StepContext, after: Pick<Task, "items">): Promise<void> {
  if (context.run.role === "analyze" || !hasGivenUpItem(context.task, after)) return;
  const proposal = await currentProposal(context);
  if (proposal?.status === "proposed") await markUnpublished(context.ports, proposal.id, "abandoned");
}

/** True once the world has seen it. */
export async function isPublished(context: StepContext): Promise<boolean> {
  const proposal = await currentProposal(context);
  return proposal !== null && isOut(proposal);
}

function isOut({ status }: Proposal): boolean {
  return status === "published" || status === "merged" || status === "closed";
}

async function currentProposal(context: StepContext): Promise<Proposal | null> {
  const { ports, task, project, pipeline } = context;
  if (!pipeline.policy.ledger) return null;
  const { analysis } = await readNightResults(context);
  const id = analysis === null ? null : selectedProposal(context, analysis);
  const query = { project: project.name, task: task.id, statuses: null, limit: MAX_CANDIDATES };
  return (await ports.store.ledger.listProposals(query)).find((each) => each.id === id) ?? null;
}
