import type { ReactSettings } from "../settings/settings.ts";
import type { PublishedBranch } from "../task/task.ts";
import { isOwnReview } from "./review-text.ts";

/** A change request as the forge reports it, as far as a task reacts to it. */
export interface SeenRequest {
  readonly headCommit: string;
  readonly hasConflict: boolean | null;
  readonly ci: "none" | "running" | "passed" | "failed";
  readonly comments: readonly SeenComment[];
}

export interface SeenComment {
  readonly id: string;
  readonly author: string;
  readonly body: string;
  readonly isBot: boolean;
  readonly requestsChanges: boolean;
}

/** What a task does about its change request, and what it has reacted to afterwards. */
export interface Reaction<Comment extends SeenComment = SeenComment> {
  /** `commits`: people pushed to the branch. */
  readonly kind: "commits" | "comments" | "ci" | "conflict";
  /** The comments to handle; empty for other kinds. */
  readonly comments: readonly Comment[];
  readonly seen: PublishedBranch["seen"];
}

export interface ReactionParams<Comment extends SeenComment> {
  readonly published: PublishedBranch;
  /** Every commit that the task pushed. A forge may show an older one for a moment. */
  readonly pushed: readonly string[];
  readonly request: Omit<SeenRequest, "comments"> & { readonly comments: readonly Comment[] };
  /** Users who may push to the project. Comments of all others are ignored, so that strangers cannot start paid runs. */
  readonly members: ReadonlySet<string>;
  readonly react: ReactSettings;
}

const MAX_REMEMBERED = 1_000;

/** Null if nothing happened that the task did not react to before. */
export function findReaction<Comment extends SeenComment>(params: ReactionParams<Comment>): Reaction<Comment> | null {
  const { published, pushed, request, react } = params;
  const { seen } = published;
  const { headCommit } = request;
  const nothing = { comments: [], seen };
  if (headCommit !== "" && headCommit !== published.head && !pushed.includes(headCommit))
    return { kind: "commits", ...nothing };
  const comments = newComments(params).filter(({ author }) => params.members.has(author));
  if (react.comments === "all" ? comments.length > 0 : comments.some(({ requestsChanges }) => requestsChanges)) {
    const ids = [...seen.comments, ...comments.map(({ id }) => id)].slice(-MAX_REMEMBERED);
    return { kind: "comments", comments, seen: { ...seen, comments: ids } };
  }
  // An older commit of the task: its results do not matter any more.
  if (headCommit !== published.head) return null;
  if (react.ci && request.ci === "failed" && seen.ci !== headCommit)
    return { kind: "ci", comments: [], seen: { ...seen, ci: headCommit } };
  if (request.hasConflict === true && seen.conflict !== headCommit)
    return { kind: "conflict", comments: [], seen: { ...seen, conflict: headCommit } };
  return null;
}

/** Comments that the task did not react to and that are neither by a program nor by Nightshift itself. */
export function newComments<Comment extends SeenComment>({
  published,
  request,
  react,
}: Pick<ReactionParams<Comment>, "published" | "request" | "react">): readonly Comment[] {
  if (react.comments === "off") return [];
  const seen = new Set(published.seen.comments);
  return request.comments.filter(({ id, isBot, body }) => !isBot && !seen.has(id) && !isOwnReview(body));
}
