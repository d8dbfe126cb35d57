import type { ContextEntry } from "./context-entry.ts";

/** A comment of a review. `file` and `line` are missing if it is about the change as a whole. */
export interface ReviewComment {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly severity: "critical" | "suggestion" | "nit";
  readonly comment: string;
}

/** One paragraph per comment, the most severe first. */
export function describeComments(comments: readonly ReviewComment[]): string {
  return comments
    .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
    .map(({ severity, comment, ...place }) => `- [${severity}] ${describePlace(place)}${comment}`)
    .join("\n");
}

const SEVERITIES: readonly ReviewComment["severity"][] = ["critical", "suggestion", "nit"];

function describePlace({ file, line }: Pick<ReviewComment, "file" | "line">): string {
  if (file === undefined) return "";
  return line === undefined ? `${file}: ` : `${file}:${line}: `;
}

/** The comments of the newest review and what was done about them since. Empty if there was no review. */
export function describePriorReview(context: readonly ContextEntry[]): string {
  const last = context.findLastIndex(isReview);
  const review = context[last];
  if (review === undefined) return "";
  const fixes = context.slice(last + 1).filter(({ kind }) => kind === "fix_summary");
  return [
    review.summary,
    describeComments(commentsOf(review)),
    ...fixes.map(({ summary }) => `What the author did about it:\n${summary}`),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function isReview({ kind }: ContextEntry): boolean {
  return kind === "review_feedback" || kind === "review_approved";
}

/** Entries of earlier versions have no comments. */
export function commentsOf({ data }: Pick<ContextEntry, "data">): readonly ReviewComment[] {
  // Written by contextEntryOf from a validated report.
  return Array.isArray(data["comments"]) ? (data["comments"] as readonly ReviewComment[]) : [];
}
