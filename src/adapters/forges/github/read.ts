import type { z } from "zod";
import type { ChangeRequestLook, ChangeRequestState, CiState, ForgeComment } from "../../../ports/forge.ts";
import { AnsweredError } from "../shared/answers.ts";
import { checkRunVerdict, combine, commitStatusVerdict } from "../shared/ci.ts";
import type { Verdict } from "../shared/ci.ts";
import { repoPath } from "./client.ts";
import type { GithubClient, RepositoryName } from "./client.ts";
import { toChangeRequest } from "./publish.ts";
import { checkRuns, combinedStatus, fullPull, issueComment, labelNames, review, reviewComment } from "./schemas.ts";

export async function readPull(client: GithubClient, at: RepositoryName, number: number): Promise<ChangeRequestState> {
  const pull = await getPull(client, at, number);
  const [comments, ci] = await Promise.all([readComments(client, at, number), readCi(client, at, pull.head.sha)]);
  return {
    ...toLook(pull),
    hasConflict: pull.mergeable === null ? null : pull.mergeable_state === "dirty" || !pull.mergeable,
    labels: labelNames(pull.labels),
    comments,
    ci,
  };
}

export async function lookAtPull(client: GithubClient, at: RepositoryName, number: number): Promise<ChangeRequestLook> {
  return toLook(await getPull(client, at, number));
}

type FullPull = z.infer<typeof fullPull>;

function getPull(client: GithubClient, at: RepositoryName, number: number): Promise<FullPull> {
  return client.get(fullPull, { doing: `read pull request #${number}`, path: repoPath(at, "pulls", number) });
}

function toLook(pull: FullPull): ChangeRequestLook {
  return {
    ...toChangeRequest(pull),
    state: pull.merged ? "merged" : pull.state,
    headCommit: pull.head.sha,
    // Before the merge it names a trial that GitHub made by itself.
    mergeCommit: pull.merged ? pull.merge_commit_sha : null,
  };
}

/** Three places: below the text, at a line of a file, and the words with which somebody sends off a review. */
async function readComments(client: GithubClient, at: RepositoryName, number: number): Promise<ForgeComment[]> {
  const doing = "read comments";
  const [general, lines, reviews] = await Promise.all([
    client.list(issueComment.array(), { doing, path: repoPath(at, "issues", number, "comments") }),
    client.list(reviewComment.array(), { doing, path: repoPath(at, "pulls", number, "comments") }),
    client.list(review.array(), { doing, path: repoPath(at, "pulls", number, "reviews") }),
  ]);
  const all: ForgeComment[] = [
    ...general.map((each) => toComment("comment", each, each.created_at)),
    ...lines.map((each) => ({
      ...toComment("line", each, each.created_at),
      file: each.path,
      line: each.line ?? each.original_line ?? null,
    })),
    ...reviews.flatMap((each) => (each.submitted_at ? [toComment("review", each, each.submitted_at)] : [])),
  ];
  return all.filter(({ body }) => body.trim() !== "").toSorted((a, b) => a.at - b.at);
}

interface Written {
  readonly id: number;
  readonly body?: string | null | undefined;
  readonly user?: { readonly login: string } | null | undefined;
}

/** The three places count each for themselves, so the id says which one it is. */
function toComment(place: string, { id, body, user }: Written, at: string): ForgeComment {
  // GitHub shows "ghost" for those who deleted their account.
  return {
    id: `${place}-${id}`,
    author: user?.login ?? "ghost",
    body: body ?? "",
    file: null,
    line: null,
    at: Date.parse(at) || 0,
  };
}

async function readCi(client: GithubClient, at: RepositoryName, ref: string): Promise<CiState> {
  const [runs, statuses] = await Promise.all([
    orNothing(async () => {
      const found = await client.list(checkRuns, {
        doing: "read check runs",
        path: repoPath(at, "commits", ref, "check-runs"),
        query: { filter: "latest" },
      });
      return found.map(checkRunVerdict);
    }),
    orNothing(async () => {
      const found = await client.get(combinedStatus, {
        doing: "read commit statuses",
        path: repoPath(at, "commits", ref, "status"),
        query: { per_page: "100" },
      });
      return found.statuses.map(({ state }) => commitStatusVerdict(state));
    }),
  ]);
  return combine([...runs, ...statuses]);
}

/** Tokens of the newer kind often may not read one of the two; the other one counts then. */
async function orNothing(read: () => Promise<Verdict[]>): Promise<Verdict[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AnsweredError && [403, 404, 422].includes(error.status)) return [];
    throw error;
  }
}
