import { readStored, storedPayload } from "../outcomes/stored-outcome.ts";
import type { Run } from "./run.ts";

/** The newest published change of a task. */
export interface Publication {
  readonly commit: string;
  readonly branch: string;
  /** Why nothing vouches for the change. Null if it passed the checks. */
  readonly unverified: string | null;
  readonly at: number;
}

type PublicationRun = Pick<Run, "step" | "commit" | "outcome" | "payload" | "finishedAt">;

/**
 * Reads what a merge would merge. Only a commit that passed the checks, or that a person decided about, is published, so the
 * newest publication is verified unless the work changed or was checked again since. Returns a reason if it must be published
 * again first. `runs` are all runs of the task, oldest first.
 */
export function readPublication(runs: readonly PublicationRun[], headCommit: string | null): Publication | string {
  const index = runs.findLastIndex(({ outcome }) => outcome === "published");
  const published = storedPayload(runs[index], "published");
  if (published === null) return "nothing was published yet";
  const later = runs.slice(index + 1);
  if (later.some(({ step, commit }) => step === "agent" && commit !== null))
    return "the work changed after it was published";
  if (later.some((run) => readVerdict(run) !== null)) return "it was checked again after it was published";
  const checked = runs.findLast((run) => readVerdict(run) !== null);
  if (checked !== undefined && (readVerdict(checked)?.commit ?? headCommit) !== headCommit)
    return "the work changed after it was checked";
  return {
    commit: published.commit,
    branch: published.branch,
    unverified: published.unverified ?? null,
    at: runs[index]?.finishedAt ?? 0,
  };
}

/** The commit that the checks judged. Null for runs that ended without a verdict. */
function readVerdict(run: PublicationRun): { readonly commit?: string | undefined } | null {
  const stored = run.step === "checks" ? readStored(run) : null;
  switch (stored?.name) {
    case "checks_passed":
    case "checks_failed":
    case "checks_inconclusive":
      return stored.payload;
    case "not_proven":
    case "policy_failed":
    case "refused":
      return {};
    default:
      return null;
  }
}
