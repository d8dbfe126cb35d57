import type { MergeMethod } from "../../../core/forge/merge.ts";
import { ForgeError } from "../../../core/text/errors.ts";
import { ForgeResponseError } from "../shared/responses.ts";
import type { ForgeClient } from "../shared/client.ts";
import type { MergingForge, VisibleObstacle } from "../shared/merge.ts";
import { escapeQuickActions } from "../shared/texts.ts";
import { ciOf, getMergeRequest, hasConflict, pathOf, toLook } from "./read.ts";
import { branch, discussion, project } from "./schemas.ts";
import type { FullMergeRequest } from "./schemas.ts";

export function gitlabMerging(client: ForgeClient, id: number, number: number): MergingForge<FullMergeRequest> {
  const path = pathOf(id, number);
  return {
    name: `Merge request !${number}`,
    repository: client.context.repository,
    find: () => getMergeRequest(client, id, number),
    describe: toLook,
    findObstacle,
    async listMethods() {
      return methodsOf(await client.get(project, { doing: "find the project", path: `/projects/${id}` }));
    },
    async merge({ commit, method }) {
      const body = { sha: commit, squash: method === "squash", should_remove_source_branch: true };
      const doing = "merge the merge request";
      try {
        await client.send({ doing, method: "PUT", path: `${path}/merge`, body, repeatable: false });
      } catch (error) {
        throw error instanceof ForgeResponseError && error.status === 401 ? explainForbidden(client, error) : error;
      }
    },
    async explainRefusal(error, found) {
      const ci = ciOf(found);
      if (ci === "failed") return "ci_failed";
      if (ci === "running") return "ci_running";
      return error instanceof ForgeResponseError && error.status === 409 ? "head_moved" : "other";
    },
    deleteBranch: ({ source_branch: name }, commit) => deleteBranch(client, id, { name, commit }),
    async listComments() {
      const found = await client.list(discussion.array(), { doing: "read comments", path: `${path}/discussions` });
      return found.flatMap(({ notes }) => notes.map(({ body }) => body.replaceAll(/^([ \t]*)\\\//gm, "$1/")));
    },
    async comment(body) {
      await client.send({
        doing: "comment on the merge request",
        method: "POST",
        path: `${path}/notes`,
        body: { body: escapeQuickActions(body) },
        repeatable: false,
      });
    },
    async close() {
      await client.send({ doing: "close the merge request", method: "PUT", path, body: { state_event: "close" } });
    },
  };
}

const OBSTACLES: Readonly<Record<string, VisibleObstacle>> = {
  draft_status: "draft",
  conflict: "conflict",
  need_rebase: "behind",
  ci_must_pass: "ci_failed",
  ci_still_running: "ci_running",
  not_approved: "reviews",
  requested_changes: "reviews",
  discussions_not_resolved: "reviews",
};

function findObstacle(found: FullMergeRequest): VisibleObstacle | null {
  if (found.draft === true) return "draft";
  if (hasConflict(found) === true) return "conflict";
  const obstacle = OBSTACLES[found.detailed_merge_status ?? ""] ?? null;
  // GitLab also reports `ci_must_pass` while the pipeline is running.
  return obstacle === "ci_failed" && ciOf(found) !== "failed" ? "ci_running" : obstacle;
}

/** `merge_method` is a setting of the project, and a merge request can only choose whether to squash. */
function methodsOf({
  merge_method: method,
  squash_option: squash,
}: {
  readonly merge_method?: string | null | undefined;
  readonly squash_option?: string | null | undefined;
}): readonly MergeMethod[] {
  return [
    ...(squash === "always" ? [] : [method === "ff" ? ("rebase" as const) : ("merge" as const)]),
    ...(squash === "never" ? [] : ["squash" as const]),
  ];
}

/** GitLab answers 401 if the token is valid but its owner must not merge. */
function explainForbidden({ context }: ForgeClient, { detail }: ForgeResponseError): ForgeError {
  const response = detail === "" ? "" : ` Response: ${detail}`;
  return new ForgeError("credentials", `The token is not allowed to merge at ${context.repository}.${response}`, {
    hint: "Its owner needs a role that may merge into the target branch, usually Maintainer.",
  });
}

/** GitLab deletes the branch with the merge. This is for a merge by someone else, and for a protected branch. */
async function deleteBranch(
  client: ForgeClient,
  id: number,
  { name, commit }: { readonly name: string; readonly commit: string },
): Promise<void> {
  const path = `/projects/${id}/repository/branches/${encodeURIComponent(name)}`;
  try {
    const found = await client.get(branch, { doing: "read the branch", path });
    if (found.commit.id === commit) await client.send({ doing: "delete the branch", method: "DELETE", path });
  } catch (error) {
    if (!(error instanceof ForgeResponseError) || error.status !== 404) throw error;
  }
}
