import type { z } from "zod";
import type { ChangeRequestLook, ChangeRequestState, CiState, ForgeComment } from "../../../ports/forge.ts";
import { ForgeResponseError } from "../shared/responses.ts";
import { checkRunVerdict, combine, commitStatusVerdict } from "../shared/ci.ts";
import { repoPath } from "./client.ts";
import type { RepositoryName } from "./client.ts";
import type { ForgeClient } from "../shared/client.ts";
import { toChangeRequest } from "./publish.ts";
import { checkRuns, combinedStatus, fullPull, issueComment, labelNames, review, reviewComment } from "./schemas.ts";
import type { CheckRun } from "./schemas.ts";

export async function readPull(client: ForgeClient, repo: RepositoryName, number: number): Promise<ChangeRequestState> {
  const pull = await getPull(client, repo, number);
  const [comments, ci] = await Promise.all([readComments(client, repo, number), readCi(client, repo, pull.head.sha)]);
  return {
    ...toLook(pull),
    author: pull.user?.login ?? GHOST,
    body: pull.body ?? "",
    hasConflict: pull.mergeable === null ? null : pull.mergeable_state === "dirty" || !pull.mergeable,
    labels: labelNames(pull.labels),
    comments,
    ci,
  };
}

export async function lookAtPull(
  client: ForgeClient,
  repo: RepositoryName,
  number: number,
): Promise<ChangeRequestLook> {
  return toLook(await getPull(client, repo, number));
}

/** GitHub shows it for deleted accounts. */
const GHOST = "ghost";

type FullPull = z.infer<typeof fullPull>;

export function getPull(client: ForgeClient, repo: RepositoryName, number: number): Promise<FullPull> {
  return client.get(fullPull, { doing: `read pull request #${number}`, path: repoPath(repo, "pulls", number) });
}

export function toLook(pull: FullPull): ChangeRequestLook {
  return {
    ...toChangeRequest(pull),
    state: pull.merged ? "merged" : pull.state,
    headCommit: pull.head.sha,
    target: pull.base.ref,
    // Before the merge it is GitHub's test merge commit.
    mergeCommit: pull.merged ? pull.merge_commit_sha : null,
  };
}

/** Collects general comments, line comments and the summaries of reviews. */
async function readComments(client: ForgeClient, repo: RepositoryName, number: number): Promise<ForgeComment[]> {
  const doing = "read comments";
  const [general, lines, reviews] = await Promise.all([
    client.list(issueComment.array(), { doing, path: repoPath(repo, "issues", number, "comments") }),
    client.list(reviewComment.array(), { doing, path: repoPath(repo, "pulls", number, "comments") }),
    client.list(review.array(), { doing, path: repoPath(repo, "pulls", number, "reviews") }),
  ]);
  const requesting = new Set(reviews.filter(({ state }) => state === "CHANGES_REQUESTED").map(({ id }) => id));
  const all: ForgeComment[] = [
    ...general.map((each) => toComment("comment", each, each.created_at)),
    ...lines.map((each) => ({
      ...toComment("line", each, each.created_at),
      file: each.path,
      line: each.line ?? each.original_line ?? null,
      requestsChanges: requesting.has(each.pull_request_review_id ?? 0),
    })),
    ...reviews.flatMap((each) =>
      each.submitted_at
        ? [{ ...toComment("review", each, each.submitted_at), requestsChanges: requesting.has(each.id) }]
        : [],
    ),
  ];
  return all.filter(({ body }) => body.trim() !== "").toSorted((a, b) => a.at - b.at);
}

interface CommentFields {
  readonly id: number;
  readonly body?: string | null | undefined;
  readonly user?: { readonly login: string; readonly type?: string | null | undefined } | null | undefined;
}

/** The three kinds have separate id sequences, so the id includes the kind. */
function toComment(kind: string, { id, body, user }: CommentFields, createdAt: string): ForgeComment {
  return {
    id: `${kind}-${id}`,
    author: user?.login ?? GHOST,
    body: body ?? "",
    file: null,
    line: null,
    at: Date.parse(createdAt) || 0,
    isBot: user?.type === "Bot" || user?.login.endsWith("[bot]") === true,
    requestsChanges: false,
  };
}

export async function readCi(client: ForgeClient, repo: RepositoryName, ref: string): Promise<CiState> {
  const [runs, statuses] = await Promise.all([listCheckRuns(client, repo, ref), listStatuses(client, repo, ref)]);
  return combine([...runs.map(checkRunVerdict), ...statuses.map(({ state }) => commitStatusVerdict(state))]);
}

export function listCheckRuns(client: ForgeClient, repo: RepositoryName, ref: string): Promise<CheckRun[]> {
  return emptyIfForbidden(() =>
    client.list(checkRuns, {
      doing: "read check runs",
      path: repoPath(repo, "commits", ref, "check-runs"),
      query: { filter: "latest" },
    }),
  );
}

export function listStatuses(client: ForgeClient, repo: RepositoryName, ref: string) {
  return emptyIfForbidden(async () => {
    const found = await client.get(combinedStatus, {
      doing: "read commit statuses",
      path: repoPath(repo, "commits", ref, "status"),
      query: { per_page: "100" },
    });
    return found.statuses;
  });
}

/** Fine-grained tokens often cannot read one of the two. The other one counts then. */
export async function emptyIfForbidden<T>(read: () => Promise<T[]>): Promise<T[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ForgeResponseError && [403, 404, 422].includes(error.status)) return [];
    throw error;
  }
}
