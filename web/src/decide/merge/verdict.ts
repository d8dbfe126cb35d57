import type { TaskJson } from "../../../../src/http/client/client.ts";

export type ReviewJson = TaskJson["reviews"][number];

export interface Verdict {
  readonly isApproved: boolean;
  readonly words: string;
  readonly review: ReviewJson | null;
}

/** What the newest review says about the commit that would be merged. A verdict counts for its commit only. */
export function findVerdict({ reviews }: Pick<TaskJson, "reviews">): Verdict {
  const review = reviews.at(-1) ?? null;
  if (review === null) return { isApproved: false, words: "No review has approved this change.", review };
  if (!review.is_current)
    return {
      isApproved: false,
      words: "The newest commit was not reviewed. Its last review was of an earlier commit.",
      review,
    };
  return review.verdict === "approved"
    ? { isApproved: true, words: "The review approved this commit.", review }
    : { isApproved: false, words: "The review did not approve this commit.", review };
}
