import { UserError } from "../../core/text/errors.ts";
import { newEvent, type Actor, type EventDraft } from "../../core/task/event.ts";
import { defaultExpiry, ruleText, reasonText, ruleFromReason, type ProjectRule } from "../../core/nightly/rule.ts";
import type { RuleDraft, RulePatch, ReasonResult, ReasonDraft } from "./commands-contract.ts";
import type { EnginePorts, RedactPorts } from "../ports.ts";
import { requireProject } from "./require/require-project.ts";
import type { Proposal, ProposalReason } from "../../core/nightly/proposal.ts";

type RulePorts = Pick<EnginePorts, "store" | "clock"> & RedactPorts;

export async function addRule(ports: RulePorts, draft: RuleDraft, actor: Actor): Promise<ProjectRule> {
  const { project, text, expiresAt } = draft;
  const at = ports.clock.now();
  await requireProject(ports.store, project);
  if (expiresAt !== undefined && expiresAt !== null && expiresAt <= at)
    throw new UserError("invalid", "The rule's expiry is in the past.", "Choose a time in the future.");
  return saveRule(
    ports,
    {
      id: ports.clock.newId("rule"),
      project,
      text: ruleText(text),
      proposal: null,
      url: null,
      by: actor.name,
      at,
      updatedAt: at,
      expiresAt: expiresAt === undefined ? defaultExpiry(at) : expiresAt,
    },
    actor,
  );
}

export async function editRule(ports: RulePorts, id: string, patch: RulePatch, actor: Actor): Promise<ProjectRule> {
  const rule = await findRule(ports, id);
  const { text, expiresAt } = patch;
  return saveRule(
    ports,
    {
      ...rule,
      ...(text === undefined ? {} : { text: ruleText(text) }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      updatedAt: ports.clock.now(),
    },
    actor,
  );
}

export async function removeRule(ports: RulePorts, id: string, actor: Actor): Promise<ProjectRule> {
  const rule = await findRule(ports, id);
  const event = {
    ...ruleEvent(ports, rule, actor),
    type: "rule.removed",
    summary: `rule removed: ${rule.text}`,
  } as const;
  if (await ports.store.ledger.removeRule(rule.id, event)) return rule;
  throw ruleNotFound(id);
}

/** Redacts and stores a rule. */
export async function saveRule(ports: RulePorts, unredacted: ProjectRule, actor: Actor): Promise<ProjectRule> {
  const rule = { ...unredacted, text: ports.secrets.redact(unredacted.text) };
  await ports.store.ledger.saveRule(rule, ruleEvent(ports, rule, actor));
  return rule;
}

function ruleEvent({ clock }: RulePorts, rule: ProjectRule, actor: Actor): EventDraft {
  const { id, project, text, expiresAt } = rule;
  return newEvent({
    at: clock.now(),
    type: "rule.saved",
    actor,
    summary: `rule for ${project}: ${text}`,
    data: { rule: id, project, text, expires_at: expiresAt },
  });
}

/** Accepts a rule id or a unique prefix of one, with or without `rule_`. */
async function findRule({ store }: RulePorts, target: string): Promise<ProjectRule> {
  const prefix = target.startsWith("rule_") ? target : `rule_${target}`;
  const found = (await store.ledger.listRules({ project: null, at: null })).filter(({ id }) => id.startsWith(prefix));
  const [rule] = found;
  if (rule === undefined) throw ruleNotFound(target);
  if (found.length === 1) return rule;
  throw new UserError(
    "conflict",
    `"${target}" is ambiguous: ${found.map(({ id }) => id).join(", ")}.`,
    "Use more characters of the rule's id.",
  );
}

function ruleNotFound(target: string): UserError {
  return new UserError("not_found", `There is no rule "${target}".`, "`nightshift rules` lists them.");
}

type ReasonPorts = Pick<EnginePorts, "store" | "clock" | "digest"> & RedactPorts;

const MAX_LEDGER = 10_000;
const RULE_ID_LENGTH = 10;

/**
 * Stores why a proposal is not wanted, and turns the reason into a rule for the project. A new reason replaces the old one.
 * The rule is written first, so giving the reason again after a crash completes both.
 */
export async function giveReason(
  ports: ReasonPorts,
  target: string,
  draft: ReasonDraft,
  actor: Actor,
): Promise<ReasonResult> {
  const proposal = await findProposal(ports, target);
  if (proposal.status === "merged")
    throw new UserError(
      "conflict",
      `"${proposal.title}" was merged, so it needs no reason.`,
      'Use `nightshift rules add "…"` to exclude such changes in the future.',
    );
  const reason = {
    kind: draft.kind,
    text: ports.secrets.redact(reasonText(draft.text)),
    by: actor.name,
    at: ports.clock.now(),
  };
  const rule = await saveRule(ports, await ruleFor(ports, proposal, reason), actor);
  // A reason rejects an unpublished proposal. A published one keeps its status until the forge reports a change.
  const status = proposal.status === "proposed" ? "rejected" : proposal.status;
  const changed = await ports.store.ledger.updateProposal(proposal.id, { status, reason, updatedAt: reason.at });
  const replaced = replacedReason(proposal.reason, reason);
  return { proposal: changed ?? { ...proposal, status, reason }, rule, replaced };
}

function replacedReason(before: ProposalReason | null, now: ProposalReason): ProposalReason | null {
  return before?.kind === now.kind && before.text === now.text ? null : before;
}

async function ruleFor(
  { store, digest }: ReasonPorts,
  proposal: Proposal,
  reason: NonNullable<Proposal["reason"]>,
): Promise<ProjectRule> {
  // Derived from the proposal, so a new reason updates its rule instead of adding one.
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

/** Accepts the id, or a prefix of the id, of a proposal or its task. The task may have been deleted. */
async function findProposal({ store }: ReasonPorts, target: string): Promise<Proposal> {
  const proposalsOfTask = await store.ledger.listProposals({
    project: null,
    task: target,
    statuses: null,
    limit: MAX_LEDGER,
  });
  const all =
    proposalsOfTask.length > 0
      ? proposalsOfTask
      : await store.ledger.listProposals({ project: null, prefix: target, statuses: null, limit: MAX_LEDGER });
  const [direct] = all.filter(({ id }) => id === target);
  if (direct !== undefined) return direct;
  const matches = (id: string): boolean => id.startsWith(target) || id.slice(id.indexOf("_") + 1).startsWith(target);
  const byId = all.filter(({ id }) => matches(id));
  const found = byId.length > 0 ? byId : preferPublished(all.filter(({ task }) => matches(task)));
  const [one] = found;
  if (one === undefined)
    throw new UserError(
      "not_found",
      `There is no proposal or task "${target}" in the ledger.`,
      "Use the id of a task that opened a change request, or of a proposal from GET /proposals.",
    );
  if (found.length === 1) return one;
  const options = found.slice(0, 5).map(({ id, title }) => `${id} (${title})`);
  throw new UserError("conflict", `"${target}" is ambiguous: ${options.join(", ")}.`, "Use one of these ids.");
}

/** A task's id means its published proposal. Without one, it means any of its candidates. */
function preferPublished(proposals: readonly Proposal[]): readonly Proposal[] {
  const published = proposals.filter(({ url }) => url !== null);
  return published.length > 0 ? published : proposals;
}
