import { UserError } from "../../core/text/errors.ts";
import type { Actor, EventDraft } from "../../core/task/event.ts";
import { defaultExpiry, ruleText, type ProjectRule } from "../../core/nightly/rule.ts";
import type { RuleDraft, RulePatch } from "./commands-contract.ts";
import type { EnginePorts, RedactPorts } from "../ports.ts";
import { requireProject } from "./require-project.ts";

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
  return {
    at: clock.now(),
    task: null,
    run: null,
    type: "rule.saved",
    level: "info",
    actor,
    summary: `rule for ${project}: ${text}`,
    data: { rule: id, project, text, expires_at: expiresAt },
  };
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
