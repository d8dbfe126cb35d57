import { outcomeOf, type Outcome } from "../outcomes/outcome.ts";
import type { Task } from "../task/task.ts";
import { shortHash } from "../text/short-hash.ts";

type Verdict = Outcome<"approved" | "changes_requested">;

function isVerdict(outcome: Outcome): outcome is Verdict {
  return outcome.name === "approved" || outcome.name === "changes_requested";
}

const MIN_HASH = 7;

/** Binds a reviewer's verdict to the commit that it was given. A report about another commit is invalid. */
export function bindVerdict(outcome: Outcome, commit: string): Outcome {
  if (!isVerdict(outcome)) return outcome;
  const named = outcome.payload.commit?.toLowerCase();
  if (named !== undefined && (named.length < MIN_HASH || !commit.startsWith(named)))
    return outcomeOf(
      "invalid_output",
      `the verdict names commit "${named}", but the commit to review is ${commit}; review that commit, or leave "commit" out`,
    );
  return { ...outcome, payload: { ...outcome.payload, commit } };
}

/** A verdict about a commit that is no longer the task's newest one says nothing about the task's work. */
export function dropOutdatedVerdict(outcome: Outcome, { headCommit }: Pick<Task, "headCommit">): Outcome {
  const commit = isVerdict(outcome) ? outcome.payload.commit : undefined;
  // A verdict without a commit, such as a person's, is never taken as an approval of one; see `verdictFor`.
  if (commit === undefined || commit === headCommit) return outcome;
  const now = headCommit === null ? "the task has none" : `the task is at ${shortHash(headCommit)} now`;
  return outcomeOf(
    "outdated_verdict",
    `the review's verdict (${outcome.name}) is about commit ${shortHash(commit)}, but ${now}`,
  );
}
