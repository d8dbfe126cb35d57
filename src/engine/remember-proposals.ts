import { patchFingerprint } from "../core/proposal-patch.ts";
import type { Published } from "../ports/forge.ts";
import { readHandedOver } from "./describe-work.ts";
import { markPublished, markUnpublished, selectedProposal } from "./ledger.ts";
import type { Work } from "./prepare-work.ts";
import type { StepContext } from "./steps/step.ts";

const MAX_FILE_BYTES = 5_000_000;

/**
 * The ledger learns of what was published before the step is committed: said again after a crash, it changes nothing.
 * `request`: null where the project has no forge.
 */
export async function rememberPublished(context: StepContext, work: Work, request: Published | null): Promise<void> {
  const { ports, task, project } = context;
  const proposal = await currentProposal(context);
  if (proposal === null) return;
  const changes = await ports.workspaces.readChanges({
    project: project.name,
    task: task.id,
    from: work.baseCommit,
    to: work.headCommit,
    maxFileBytes: MAX_FILE_BYTES,
  });
  const patch = patchFingerprint(changes, ports.digest);
  const { url = null, number = null } = request ?? {};
  await markPublished(ports, proposal, { url, number, patch, baseCommit: work.baseCommit });
}

/** What was tried and given up is not tried again the next night. */
export async function rememberAbandoned(context: StepContext): Promise<void> {
  const proposal = await currentProposal(context);
  if (proposal !== null) await markUnpublished(context.ports, proposal, "abandoned");
}

async function currentProposal(context: StepContext): Promise<string | null> {
  if (context.task.items === null) return null;
  const { analysis } = await readHandedOver(context);
  return analysis === null ? null : selectedProposal(context, analysis);
}
