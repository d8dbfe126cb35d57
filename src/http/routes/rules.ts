import type { Proposal } from "../../core/nightly/proposal.ts";
import { hasExpired, type ProjectRule } from "../../core/nightly/rule.ts";
import type { ProposalJson, RuleJson } from "../contract/rule.ts";
import type { HttpDeps } from "../deps.ts";
import { iso, isoOrNull } from "../views/views.ts";
import type { Handlers } from "./handler.ts";

type RuleRoutes =
  | "GET /rules"
  | "POST /rules"
  | "POST /rules/:id"
  | "DELETE /rules/:id"
  | "GET /proposals"
  | "POST /proposals/:id/reason";

export function ruleRoutes({ commands, store, clock }: HttpDeps): Handlers<RuleRoutes> {
  const show = (rule: ProjectRule): RuleJson => viewRule(rule, clock.now());
  return {
    async "GET /rules"({ query }) {
      const at = query.expired ? null : clock.now();
      return { rules: (await store.ledger.listRules({ project: query.project ?? null, at })).map(show) };
    },

    async "POST /rules"({ body: { project, text, expires_at }, actor }) {
      return show(await commands.addRule({ project, text, ...readExpiry(expires_at) }, actor));
    },

    async "POST /rules/:id"({ params, body: { text, expires_at }, actor }) {
      const patch = { ...(text === undefined ? {} : { text }), ...readExpiry(expires_at) };
      return show(await commands.editRule(params.id, patch, actor));
    },

    async "DELETE /rules/:id"({ params, actor }) {
      await commands.removeRule(params.id, actor);
      return null;
    },

    async "GET /proposals"({ query: { project, status, limit } }) {
      const found = await store.ledger.listProposals({ project: project ?? null, statuses: status ?? null, limit });
      return { proposals: found.map(viewProposal) };
    },

    async "POST /proposals/:id/reason"({ params, body, actor }) {
      const { proposal, rule, replaced } = await commands.giveReason(params.id, body, actor);
      return { proposal: viewProposal(proposal), rule: show(rule), replaced: viewReason(replaced) };
    },
  };
}

function readExpiry(given: string | null | undefined): { readonly expiresAt?: number | null } {
  if (given === undefined) return {};
  return { expiresAt: given === null ? null : Date.parse(given) };
}

function viewRule(rule: ProjectRule, now: number): RuleJson {
  const { id, project, text, proposal, url, by, at, updatedAt, expiresAt } = rule;
  return {
    id,
    project,
    text,
    proposal,
    url,
    by,
    created_at: iso(at),
    updated_at: iso(updatedAt),
    expires_at: isoOrNull(expiresAt),
    expired: hasExpired(rule, now),
  };
}

function viewProposal(proposal: Proposal): ProposalJson {
  const { id, project, task, category, title, files, baseCommit, status, url, number } = proposal;
  return {
    id,
    project,
    task,
    category,
    title,
    files: [...files],
    base_commit: baseCommit,
    status,
    url,
    number,
    created_at: iso(proposal.at),
    updated_at: iso(proposal.updatedAt),
    reason: viewReason(proposal.reason),
    asked_at: isoOrNull(proposal.askedAt),
  };
}

function viewReason(reason: Proposal["reason"]): ProposalJson["reason"] {
  return reason === null ? null : { ...reason, at: iso(reason.at) };
}
