import { z } from "zod";

const webUrl = z.string().regex(/^https?:\/\//);
export const person = z.object({ id: z.number().int(), username: z.string() });

const access = z.object({ access_level: z.number() }).nullish();

export const project = z.object({
  id: z.number().int().positive(),
  archived: z.boolean().default(false),
  // Missing if the token's owner is not a member.
  merge_requests_enabled: z.boolean().nullish(),
  permissions: z.object({ project_access: access, group_access: access }).nullish(),
  merge_method: z.string().nullish(),
  squash_option: z.string().nullish(),
});

/** As returned in lists. */
export const mergeRequest = z.object({
  iid: z.number().int().positive(),
  web_url: webUrl,
  title: z.string(),
  state: z.enum(["opened", "closed", "locked", "merged"]),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.number().nullable(),
  // Null while GitLab processes the push.
  sha: z.string().nullable(),
  labels: z.array(z.string()),
  draft: z.boolean().nullish(),
  reviewers: z.array(person).nullish(),
  assignees: z.array(person).nullish(),
});
export type MergeRequest = z.infer<typeof mergeRequest>;

export const fullMergeRequest = mergeRequest.extend({
  description: z.string().nullish(),
  author: z.object({ username: z.string() }).nullish(),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
  has_conflicts: z.boolean(),
  merge_status: z.string().nullish(),
  detailed_merge_status: z.string().nullish(),
  // Missing if the token's owner cannot see pipelines.
  head_pipeline: z.object({ id: z.number().nullish(), sha: z.string(), ref: z.string(), status: z.string() }).nullish(),
});
export type FullMergeRequest = z.infer<typeof fullMergeRequest>;

const note = z.object({
  id: z.number(),
  body: z.string(),
  author: z.object({ username: z.string() }).nullish(),
  created_at: z.string(),
  system: z.boolean(),
  position: z
    .object({
      new_path: z.string().nullish(),
      old_path: z.string().nullish(),
      new_line: z.number().nullish(),
      old_line: z.number().nullish(),
    })
    .nullish(),
});
export type Note = z.infer<typeof note>;

export const branch = z.object({ commit: z.object({ id: z.string() }) });

export const draftNote = z.object({ note: z.string() });

/** Missing until GitLab has prepared the diff. */
export const diffRefs = z.object({
  diff_refs: z.object({ base_sha: z.string(), start_sha: z.string(), head_sha: z.string() }).nullish(),
});

export const discussion = z.object({ notes: z.array(note) });

export const ownToken = z.object({ scopes: z.array(z.string()), active: z.boolean() });

export const reviewerState = z.object({ user: z.object({ username: z.string() }), state: z.string().nullish() });
export const job = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  allow_failure: z.boolean().nullish(),
  failure_reason: z.string().nullish(),
});
export const member = z.object({ username: z.string(), access_level: z.number() });
