import type { z } from "zod";
import type { MergeMethod, MergeObstacle } from "../../../core/forge/merge.ts";
import { ForgeResponseError } from "../shared/responses.ts";
import type { ForgeClient } from "../shared/client.ts";
import type { MergingForge, VisibleObstacle } from "../shared/merge.ts";
import { repoPath } from "./client.ts";
import type { RepositoryName } from "./client.ts";
import { isFromRepository } from "./publish.ts";
import { getPull, readCi, toLook } from "./read.ts";
import { gitRef, issueComment, repository } from "./schemas.ts";
import type { fullPull } from "./schemas.ts";

type FullPull = z.infer<typeof fullPull>;

const DELETED = [404, 409, 422];

export function githubMerging(client: ForgeClient, repo: RepositoryName, number: number): MergingForge<FullPull> {
  const path = repoPath(repo, "pulls", number);
  const comments = repoPath(repo, "issues", number, "comments");
  return {
    name: `Pull request #${number}`,
    repository: client.context.repository,
    find: () => getPull(client, repo, number),
    describe: toLook,
    findObstacle,
    async listMethods() {
      const found = await client.get(repository, { doing: "find the repository", path: repoPath(repo) });
      const flags: readonly (readonly [MergeMethod, boolean | null | undefined])[] = [
        ["merge", found.allow_merge_commit],
        ["squash", found.allow_squash_merge],
        ["rebase", found.allow_rebase_merge],
      ];
      return flags.filter(([, isAllowed]) => isAllowed !== false).map(([method]) => method);
    },
    async merge({ commit, method }) {
      await client.send({
        doing: "merge the pull request",
        method: "PUT",
        path: `${path}/merge`,
        body: { sha: commit, merge_method: method },
        repeatable: false,
      });
    },
    explainRefusal: (error, pull) =>
      explainRefusal(client, { repo, pull, detail: error instanceof ForgeResponseError ? error.detail : "" }),
    deleteBranch: (pull, commit) => deleteBranch(client, repo, { pull, commit }),
    async listComments() {
      const found = await client.list(issueComment.array(), { doing: "read comments", path: comments });
      return found.map(({ body }) => body ?? "");
    },
    async comment(body) {
      await client.send({
        doing: "comment on the pull request",
        method: "POST",
        path: comments,
        body: { body },
        repeatable: false,
      });
    },
    async close() {
      await client.send({ doing: "close the pull request", method: "PATCH", path, body: { state: "closed" } });
    },
  };
}

function findObstacle({ draft, mergeable, mergeable_state: state }: FullPull): VisibleObstacle | null {
  if (draft === true || state === "draft") return "draft";
  if (mergeable === false || state === "dirty") return "conflict";
  return state === "behind" ? "behind" : null;
}

/** GitHub's state `blocked` does not say whether checks or reviews are missing; its message does. */
async function explainRefusal(
  client: ForgeClient,
  { repo, pull, detail }: { readonly repo: RepositoryName; readonly pull: FullPull; readonly detail: string },
): Promise<MergeObstacle> {
  if (/not allowed on this repository/i.test(detail)) return "method";
  if (/\breviews?\b|changes (were|have been) requested/i.test(detail)) return "reviews";
  if (/conflict/i.test(detail)) return "conflict";
  if (!/\bchecks?\b/i.test(detail) && pull.mergeable_state !== "blocked") return "other";
  const ci = await readCi(client, repo, pull.head.sha);
  if (ci === "failed") return "ci_failed";
  return ci === "running" || /\bchecks?\b/i.test(detail) ? "ci_running" : "reviews";
}

/** GitHub cannot delete a branch on condition of its commit, so look at it first: someone may have pushed to it. */
async function deleteBranch(
  client: ForgeClient,
  repo: RepositoryName,
  { pull, commit }: { readonly pull: FullPull; readonly commit: string },
): Promise<void> {
  if (!isFromRepository(pull, repo)) return;
  const branch = `heads/${pull.head.ref}`;
  try {
    const doing = "read the branch";
    const found = await client.get(gitRef, { doing, path: repoPath(repo, "git", "ref", branch) });
    if (found.object.sha !== commit) return;
    await client.send({ doing: "delete the branch", method: "DELETE", path: repoPath(repo, "git", "refs", branch) });
  } catch (error) {
    // The repository may delete branches of merged pull requests by itself.
    if (!(error instanceof ForgeResponseError) || !DELETED.includes(error.status)) throw error;
  }
}
