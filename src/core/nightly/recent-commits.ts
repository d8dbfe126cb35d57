/** The default of `improve.avoid_recent_commits` for a history that is long enough. */
export const DEFAULT_RECENT_COMMITS = 10;

/** A longer history does not change the default, so callers need not count further. */
export const ENOUGH_COMMITS = DEFAULT_RECENT_COMMITS * 10;

/**
 * How many of the newest commits count as recent. The default is at most a tenth of the history, because in a young
 * repository ten commits would exclude every file. A setting applies as it is.
 */
export function recentCommitsToAvoid(setting: number | null, commitsInHistory: number): number {
  return setting ?? Math.min(DEFAULT_RECENT_COMMITS, Math.floor(commitsInHistory / 10));
}

/** `the last commit`, `the last 10 commits`. */
export function lastCommits(count: number): string {
  return count === 1 ? "the last commit" : `the last ${count} commits`;
}
