import { z } from "zod";
import { REASON_KINDS, PROPOSAL_STATUSES } from "../../core/nightly/proposal.ts";
import { comment, requestedTime, requiredName, time } from "./common.ts";

export const ruleSchema = z
  .strictObject({
    id: z.string(),
    project: z.string(),
    text: z.string().meta({ description: "The text as analyses see it." }),
    proposal: z
      .string()
      .nullable()
      .meta({ description: "The proposal that led to this rule. Null if a person wrote the rule directly." }),
    url: z.string().nullable().meta({ description: "The proposal's change request." }),
    by: z.string(),
    created_at: time,
    updated_at: time,
    expires_at: time.nullable().meta({ description: "Null if the rule never expires." }),
    expired: z.boolean(),
  })
  .meta({ id: "Rule" });
export type RuleJson = z.output<typeof ruleSchema>;

const expiresAt = requestedTime.nullable().optional();

export const newRuleSchema = z.strictObject({
  project: requiredName,
  text: comment,
  expires_at: expiresAt.meta({ description: "Null for a rule that never expires. Default: after 180 days." }),
});

export const ruleChangeSchema = z
  .strictObject({
    text: comment.optional(),
    expires_at: expiresAt.meta({ description: "Null for a rule that never expires." }),
  })
  .refine(({ text, expires_at }) => text !== undefined || expires_at !== undefined, "needs text or expires_at");

const givenReason = z.strictObject({ kind: z.enum(REASON_KINDS), text: z.string(), by: z.string(), at: time });

export const proposalSchema = z
  .strictObject({
    id: z.string(),
    project: z.string(),
    task: z.string(),
    category: z.string(),
    title: z.string(),
    files: z.array(z.string()),
    base_commit: z.string(),
    status: z.enum(PROPOSAL_STATUSES),
    url: z.string().nullable(),
    number: z.int().nullable(),
    created_at: time,
    updated_at: time,
    reason: givenReason.nullable().meta({ description: "Why it was rejected, if a person said so." }),
    asked_at: time.nullable().meta({ description: "When people were asked for the reason." }),
  })
  .meta({ id: "Proposal" });
export type ProposalJson = z.output<typeof proposalSchema>;

export const reasonSchema = z.strictObject({ kind: z.enum(REASON_KINDS), text: comment.default("") });

export const explainedSchema = z.strictObject({
  proposal: proposalSchema,
  rule: ruleSchema,
  replaced: givenReason
    .nullable()
    .meta({ description: "The previous reason that this one replaces. Null if there was none or it was the same." }),
});
