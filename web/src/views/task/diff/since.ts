import type { TaskJson } from "../../../../../src/http/client/client.ts";
import type { DiffJson } from "./change.ts";

/** The address says this to see the whole change where a part of it is the default. */
export const WHOLE = "base";

/** The commit that "since last review" starts from. Null if there is none, or if its files are not kept. */
export function findReviewed({ reviews }: Pick<TaskJson, "reviews">, diff: DiffJson): string | null {
  if (diff.reviewed_commit === null) return null;
  return findSeenByPerson(reviews, diff.head_commit) ?? diff.reviewed_commit;
}

/** What a person has reviewed before need not be read again. What only an agent has reviewed is shown whole. */
export function findDefaultSince(task: Pick<TaskJson, "reviews">, diff: DiffJson): string | null {
  if (diff.reviewed_commit === null) return null;
  return findSeenByPerson(task.reviews, diff.head_commit);
}

function findSeenByPerson(reviews: TaskJson["reviews"], head: string | null): string | null {
  return reviews.findLast(({ by, commit }) => by !== null && commit !== null && commit !== head)?.commit ?? null;
}
