import type { ContextEntry } from "./context-entry.ts";
import type { Task } from "../task.ts";

/** The most severe first. */
export const SEVERITIES = ["critical", "suggestion", "nit"] as const;

/** A comment of a review. `file` and `line` are missing if it is about the change as a whole. */
export interface ReviewComment {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly severity: (typeof SEVERITIES)[number];
  readonly comment: string;
}

/** What the author did about the comment with this number. Numbers start at 1. */
export interface CommentAnswer {
  readonly comment: number;
  readonly answer: string;
}

/** One review of a task and what happened to its comments since. */
export interface Review {
  readonly verdict: "approved" | "changes_requested";
  /** The verdict counts for this commit only. Null for reviews of earlier versions, which count for none. */
  readonly commit: string | null;
  readonly summary: string;
  readonly comments: readonly AnsweredComment[];
  /** Summaries of the runs that changed the work after this review and before the next one. */
  readonly fixes: readonly string[];
  readonly run: string | null;
  /** The person who reviewed. Null for an agent's review. */
  readonly by: string | null;
  readonly at: number;
}

export interface AnsweredComment extends ReviewComment {
  readonly answer: string | null;
}

/** The most severe first. The position in this list is the comment's number. */
export function sortComments<Comment extends ReviewComment>(comments: readonly Comment[]): readonly Comment[] {
  return comments.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

/** A numbered list, the most severe comments first. */
export function describeComments(comments: readonly (ReviewComment | AnsweredComment)[]): string {
  return sortComments(comments)
    .map((each, index) => {
      const answer = "answer" in each && each.answer !== null ? `\n   What the author did: ${each.answer}` : "";
      return `${index + 1}. [${each.severity}] ${describePlace(each)}${each.comment}${answer}`;
    })
    .join("\n");
}

function describePlace({ file, line }: Pick<ReviewComment, "file" | "line">): string {
  if (file === undefined) return "";
  return line === undefined ? `${file}: ` : `${file}:${line}: `;
}

/** All reviews of a task, oldest first. */
export function reviewsOf({ context }: Pick<Task, "context">): readonly Review[] {
  return context.flatMap((entry, index) => {
    if (!isReview(entry)) return [];
    const rest = context.slice(index + 1);
    const next = rest.findIndex(isReview);
    return [toReview(entry, next === -1 ? rest : rest.slice(0, next))];
  });
}

/** The newest review of exactly this commit. Null if there is none, which is no approval. */
export function verdictFor(task: Pick<Task, "context">, commit: string | null): Review | null {
  return commit === null ? null : (reviewsOf(task).findLast((review) => review.commit === commit) ?? null);
}

/**
 * Every review with its comments and what was done about each of them. Empty if there was none. The newest comes first, so that
 * a prompt that is too long loses the oldest.
 */
export function describePriorReviews(task: Pick<Task, "context">): string {
  const reviews = reviewsOf(task);
  return reviews
    .map((review, index) => describeReview(review, `Review ${index + 1} of ${reviews.length}`))
    .toReversed()
    .join("\n\n");
}

function describeReview({ verdict, commit, summary, comments, fixes, by }: Review, title: string): string {
  const place = commit === null ? "" : ` of commit ${commit}`;
  const author = by === null ? "" : `, by a person (${by})`;
  return [
    `${title}${place}${author}: ${verdict === "approved" ? "approved" : "changes requested"}`,
    summary,
    describeComments(comments),
    ...fixes.map((fix) => `What the author did about it:\n${fix}`),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function isReview({ kind }: ContextEntry): boolean {
  return kind === "review_feedback" || kind === "review_approved";
}

function toReview(entry: ContextEntry, later: readonly ContextEntry[]): Review {
  const fixes = later.filter(({ kind }) => kind === "fix_summary");
  // Written by contextEntryOf from validated reports. Entries of earlier versions lack these fields.
  const answers = fixes.flatMap(({ data }) => list<CommentAnswer>(data["answers"]));
  const comments = sortComments(list<ReviewComment>(entry.data["comments"]));
  const { commit, by } = entry.data;
  return {
    verdict: entry.kind === "review_approved" ? "approved" : "changes_requested",
    commit: typeof commit === "string" ? commit : null,
    summary: entry.summary,
    comments: comments.map((each, index) => ({
      ...each,
      answer: answers.findLast(({ comment }) => comment === index + 1)?.answer ?? null,
    })),
    fixes: fixes.map(({ summary }) => summary),
    run: entry.run,
    by: typeof by === "string" ? by : null,
    at: entry.at,
  };
}

function list<Item>(value: unknown): readonly Item[] {
  return Array.isArray(value) ? (value as readonly Item[]) : [];
}
