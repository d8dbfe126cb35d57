import type { Category } from "../nightly/category.ts";

/** The `policy` block of a pipeline file: rules that the engine enforces for its tasks. See the table in docs/pipelines.md. */
export interface PipelinePolicy {
  /** The items of `each: category`; null: the categories of the weekday, then the others. */
  readonly categories: readonly Category[] | null;
  readonly change: ChangePolicy;
  /** Branch template; `{{slug}}` comes from the finished change. Null: `workspace.branch` of the settings. */
  readonly branch: string | null;
  /** `related`: if a check has a `related` command, it runs instead, with the changed files. */
  readonly checks: "all" | "related";
  /** The engine runs the change's tests on the base commit, where they must fail (`gates.proof`). */
  readonly proof: boolean;
  /** `fresh`: a run that is not a repair or an answer never continues an earlier session. */
  readonly session: "continue" | "fresh";
  /** `analysis`: agents see the analysis, the change and its checks, but not the summaries of earlier runs. */
  readonly context: "summaries" | "analysis";
  /** `until_checked`: the checked commit is published without another rebase, even if the default branch has new commits. */
  readonly rebase: "always" | "until_checked";
  /** Candidates and changes are compared with earlier proposals of the project, and recorded. */
  readonly ledger: boolean;
  readonly publish: PublishPolicy;
  /** `remove`: unpublished work of a failed task is removed at once instead of after a week, and all of it if it contains a secret. */
  readonly unpublished: "keep" | "remove";
  /** `alone`: a schedule starts a task only if the project has no other open task of this pipeline. */
  readonly schedule: "own" | "alone";
  /** `night`: reported by the name of its last state, in the night log, on the wiki page and to the heartbeat. */
  readonly report: "task" | "night";
}

/** What the diff policy rejects. With `show` it only warns the person who reads the change. */
export interface ChangePolicy {
  /** Added plus removed lines: a number, the name of a setting, or null for no limit. */
  readonly maxLines: number | "improve.max_diff_lines" | null;
  readonly dependencyFiles: "refuse" | "show";
  readonly gates: "refuse" | "show";
  readonly ciFiles: "refuse" | "show";
  readonly binaryFiles: "refuse" | "show";
  readonly submodules: "refuse" | "show";
  /** Files changed by the last `improve.avoid_recent_commits` commits. */
  readonly recentFiles: "refuse" | "allow";
  /** Files that the selected candidate of the analysis does not name. */
  readonly outsideConcern: "refuse" | "allow";
  /** Findings that an agent may keep after one warning; a person then decides. */
  readonly insist: readonly InsistableFinding[];
}

export const INSISTABLE_FINDINGS = ["weakened_tests"] as const;
export type InsistableFinding = (typeof INSISTABLE_FINDINGS)[number];

export interface PublishPolicy {
  /** `improve.publish`: this setting decides whether an agent publishes. */
  readonly by: "engine" | "improve.publish";
  /** `described`: title, text and labels come from the analysis and the `describe` role. */
  readonly text: "task" | "described";
  /** Tasks of a project publish one at a time. */
  readonly oneAtATime: boolean;
  /** `limits.open_change_requests` applies. */
  readonly capOpen: boolean;
}

/** For work that a person requested and will look at, so unusual changes are only shown. */
export const DEFAULT_POLICY: PipelinePolicy = {
  categories: null,
  change: {
    maxLines: null,
    dependencyFiles: "show",
    gates: "show",
    ciFiles: "show",
    binaryFiles: "show",
    submodules: "show",
    recentFiles: "allow",
    outsideConcern: "allow",
    insist: ["weakened_tests"],
  },
  branch: null,
  checks: "all",
  proof: false,
  session: "continue",
  context: "summaries",
  rebase: "always",
  ledger: false,
  publish: { by: "engine", text: "task", oneAtATime: false, capOpen: false },
  unpublished: "keep",
  schedule: "own",
  report: "task",
};

/**
 * Strict rules for unattended work, used for an `each` pipeline without a `policy` block. Stored versions of `improve` from
 * before the block existed keep their rules this way. A test keeps it equal to improve.yaml.
 */
const NIGHTLY_POLICY: PipelinePolicy = {
  categories: null,
  change: {
    maxLines: "improve.max_diff_lines",
    dependencyFiles: "refuse",
    gates: "refuse",
    ciFiles: "refuse",
    binaryFiles: "refuse",
    submodules: "refuse",
    recentFiles: "refuse",
    outsideConcern: "refuse",
    insist: [],
  },
  branch: "night-shift/{{slug}}",
  checks: "related",
  proof: false,
  session: "fresh",
  context: "analysis",
  rebase: "until_checked",
  ledger: true,
  publish: { by: "improve.publish", text: "described", oneAtATime: true, capOpen: true },
  unpublished: "remove",
  schedule: "alone",
  report: "night",
};

/** The policy of a pipeline file without a `policy` block. */
export function defaultPolicy(walksList: boolean): PipelinePolicy {
  return walksList ? NIGHTLY_POLICY : DEFAULT_POLICY;
}

/** Null: no limit. */
export function maxLinesOf({ maxLines }: ChangePolicy, improve: { readonly maxDiffLines: number }): number | null {
  return maxLines === "improve.max_diff_lines" ? improve.maxDiffLines : maxLines;
}
