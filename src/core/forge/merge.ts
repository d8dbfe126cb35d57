/** How the commits of a branch become part of the target branch. */
export const MERGE_METHODS = ["merge", "squash", "rebase"] as const;
export type MergeMethod = (typeof MERGE_METHODS)[number];

/** The methods in the order in which they are chosen if a person names none. */
const PREFERRED: readonly MergeMethod[] = ["squash", "merge", "rebase"];

export function preferredMethod(allowed: readonly MergeMethod[]): MergeMethod | null {
  return PREFERRED.find((method) => allowed.includes(method)) ?? null;
}

/** Why a forge does not merge a change request. `other`: for a reason that only its message describes. */
export type MergeObstacle =
  | "closed"
  | "head_moved"
  | "draft"
  | "conflict"
  | "behind"
  | "ci_failed"
  | "ci_running"
  | "reviews"
  | "method"
  | "other";
