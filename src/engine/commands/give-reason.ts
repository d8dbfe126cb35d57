import { UserError } from "../../core/text/errors.ts";
import type { Actor } from "../../core/task/event.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { ProposalReason } from "../../core/nightly/proposal-reason.ts";
import { defaultExpiry, reasonText, ruleFromReason, type ProjectRule } from "../../core/nightly/rule.ts";
import type { Explained, ReasonDraft } from "./commands-contract.ts";
import type { EnginePorts, RedactPorts } from "../ports.ts";
import { keepRule } from "./rules.ts";

type ReasonPorts = Pick<EnginePorts, "store" | "clock" | "digest"> & RedactPorts;

const MAX_LEDGER = 10_000;
const RULE_ID_LENGTH = 10;

/**
 * Why something is not wanted: kept with the proposal, and a rule for the project. Said again, it replaces what was said
 * before. The rule comes first: what a crash leaves half-way is whole once the person says it again.
 */
export async function giveReason(
  ports: ReasonPorts,
  target: string,
  draft: ReasonDraft,
  actor: Actor,
): Promise<Explained> {
  const proposal = await findProposal(ports, target);
  if (proposal.status === "merged")
    throw new UserError(
      "conflict",
      `"${proposal.title}" was merged: there is no reason to give.`,
      'nightshift rules add "…" says what is not wanted any more.',
    );
  const reason = {
    kind: draft.kind,
    text: ports.secrets.redact(reasonText(draft.text)),
    by: actor.name,
    at: ports.clock.now(),
  };
  const rule = await keepRule(ports, await ruleFor(ports, proposal, reason), actor);
  // What was only named is refused by this; what is open stays open until the forge says otherwise.
  const status = proposal.status === "proposed" ? "rejected" : proposal.status;
  const changed = await ports.store.ledger.updateProposal(proposal.id, { status, reason, updatedAt: reason.at });
  return { proposal: changed ?? { ...proposal, status, reason }, rule, replaced: replacedBy(proposal.reason, reason) };
}

function replacedBy(before: ProposalReason | null, now: ProposalReason): ProposalReason | null {
  return before?.kind === now.kind && before.text === now.text ? null : before;
}

async function ruleFor(
  { store, digest }: ReasonPorts,
  proposal: Proposal,
  reason: NonNullable<Proposal["reason"]>,
): Promise<ProjectRule> {
  // One rule for each proposal, whatever was said and however often.
  const id = `rule_${digest(`reason for ${proposal.id}`).slice(0, RULE_ID_LENGTH)}`;
  const known = (await store.ledger.listRules({ project: proposal.project, at: null })).find((rule) => rule.id === id);
  return {
    id,
    project: proposal.project,
    text: ruleFromReason(proposal, reason),
    proposal: proposal.id,
    url: proposal.url,
    by: reason.by,
    at: known?.at ?? reason.at,
    updatedAt: reason.at,
    expiresAt: defaultExpiry(reason.at),
  };
}

/** By id or beginning of an id: of the proposal, or of the task, which may be long gone. */
async function findProposal({ store }: ReasonPorts, target: string): Promise<Proposal> {
  const ofThisTask = await store.ledger.listProposals({
    project: null,
    task: target,
    statuses: null,
    limit: MAX_LEDGER,
  });
  const all =
    ofThisTask.length > 0
      ? ofThisTask
      : await store.ledger.listProposals({ project: null, statuses: null, limit: MAX_LEDGER });
  const [direct] = all.filter(({ id }) => id === target);
  if (direct !== undefined) return direct;
  const begins = (id: string): boolean => id.startsWith(target) || id.slice(id.indexOf("_") + 1).startsWith(target);
  const byId = all.filter(({ id }) => begins(id));
  const found = byId.length > 0 ? byId : ofTask(all.filter(({ task }) => begins(task)));
  const [one] = found;
  if (one === undefined)
    throw new UserError(
      "not_found",
      `Nothing was proposed under "${target}".`,
      "Name a task that opened a change request, or a proposal of GET /proposals.",
    );
  if (found.length === 1) return one;
  const listed = found.slice(0, 5).map(({ id, title }) => `${id} (${title})`);
  throw new UserError("conflict", `"${target}" may be any of ${listed.join(", ")}.`, "Name one of them by its id.");
}

/** Of what a task named, its change request is meant, unless it never had one. */
function ofTask(proposals: readonly Proposal[]): readonly Proposal[] {
  const published = proposals.filter(({ url }) => url !== null);
  return published.length > 0 ? published : proposals;
}
