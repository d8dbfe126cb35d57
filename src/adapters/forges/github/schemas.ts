import { z } from "zod";

const person = z.object({ login: z.string(), type: z.string().nullish() }).nullable();
const webUrl = z.string().regex(/^https?:\/\//);
const label = z.union([z.string(), z.object({ name: z.string().nullish() })]);

export const repository = z.object({
  full_name: z.string().regex(/^[^/]+\/[^/]+$/),
  private: z.boolean(),
  archived: z.boolean().default(false),
  permissions: z.object({ push: z.boolean() }).optional(),
  // Missing if the token cannot push.
  allow_merge_commit: z.boolean().nullish(),
  allow_squash_merge: z.boolean().nullish(),
  allow_rebase_merge: z.boolean().nullish(),
});

/** As returned in lists. */
export const pull = z.object({
  number: z.number().int().positive(),
  html_url: webUrl,
  title: z.string(),
  state: z.enum(["open", "closed"]),
  merged_at: z.string().nullish(),
  labels: z.array(label),
  head: z.object({
    ref: z.string(),
    sha: z.string(),
    // Null if the fork was deleted.
    repo: z.object({ full_name: z.string() }).nullish(),
  }),
  base: z.object({ ref: z.string() }),
});
export type Pull = z.infer<typeof pull>;

export const fullPull = pull.extend({
  body: z.string().nullish(),
  user: person.optional(),
  draft: z.boolean().nullish(),
  merged: z.boolean(),
  merge_commit_sha: z.string().nullable(),
  mergeable: z.boolean().nullable(),
  mergeable_state: z.string(),
});

export const gitRef = z.object({ object: z.object({ sha: z.string() }) });

export const issueComment = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user: person.optional(),
  created_at: z.string(),
});

export const reviewComment = issueComment.extend({
  path: z.string(),
  line: z.number().nullish(),
  original_line: z.number().nullish(),
  pull_request_review_id: z.number().nullish(),
});

export const review = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user: person.optional(),
  state: z.string().nullish(),
  // Missing until the review is submitted.
  submitted_at: z.string().nullish(),
});

const checkRun = z.object({
  id: z.number(),
  name: z.string().nullish(),
  status: z.string(),
  conclusion: z.string().nullable(),
  app: z.object({ slug: z.string().nullish() }).nullish(),
  output: z.object({ title: z.string().nullish(), summary: z.string().nullish() }).nullish(),
});
export type CheckRun = z.infer<typeof checkRun>;
export const annotation = z.object({
  path: z.string(),
  start_line: z.number(),
  annotation_level: z.string().nullish(),
  message: z.string().nullish(),
});
export const permission = z.object({ permission: z.string() });
export const checkRuns = z.object({ check_runs: z.array(checkRun) }).transform((response) => response.check_runs);
export const combinedStatus = z.object({
  statuses: z.array(z.object({ state: z.string(), context: z.string().nullish(), description: z.string().nullish() })),
});
export const assigneesResponse = z.object({ assignees: z.array(z.object({ login: z.string() })).nullish() });

export function labelNames(labels: readonly z.infer<typeof label>[]): readonly string[] {
  return labels.map((each) => (typeof each === "string" ? each : (each.name ?? ""))).filter((name) => name !== "");
}
