import type { Category } from "../nightly/category.ts";

/** The `policy` block of a pipeline file: the rules that the engine holds its tasks to. docs/pipelines.md has the table. */
export interface PipelinePolicy {
  /** The list that `each: category` walks; null: the categories of the weekday, then the others. */
  readonly categories: readonly Category[] | null;
  readonly change: ChangePolicy;
  /** Template of the branch, whose `{{slug}}` names the finished change; null: `workspace.branch` of the settings. */
  readonly branch: string | null;
  /** `related`: a check's `related` command runs in its place, with the changed files. */
  readonly checks: "all" | "related";
  /** `fresh`: a run that is not a repair or an answer never continues an earlier session. */
  readonly session: "continue" | "fresh";
  /** `analysis`: agents see the analysis, the change and its checks, but not the summaries of earlier runs. */
  readonly context: "summaries" | "analysis";
  /** `until_checked`: what is published is the commit that was checked, even if the default branch has moved on. */
  readonly rebase: "always" | "until_checked";
  /** Candidates and changes are compared with earlier proposals of the project, and recorded. */
  readonly ledger: boolean;
  readonly publish: PublishPolicy;
  /** `remove`: unpublished work of a task that gave up is not kept for a week; a secret in it removes all of it. */
  readonly unpublished: "keep" | "remove";
  /** `alone`: a schedule starts a task only if the project has no other open task of this pipeline. */
  readonly schedule: "own" | "alone";
  /** `night`: reported under the name of its last state, in the night log and on the wiki page, and to the heartbeat. */
  readonly report: "task" | "night";
}

/** What the diff policy refuses. `show` makes it a warning for the person who reads the change. */
export interface ChangePolicy {
  /** Added and removed lines together; a number, the name of a setting, or null for any number. */
  readonly maxLines: number | "improve.max_diff_lines" | null;
  readonly dependencyFiles: "refuse" | "show";
  readonly gates: "refuse" | "show";
  readonly ciFiles: "refuse" | "show";
  readonly binaryFiles: "refuse" | "show";
  readonly submodules: "refuse" | "show";
  /** Files that the last `improve.avoid_recent_commits` commits changed. */
  readonly recentFiles: "refuse" | "allow";
  /** Files that the selected candidate of the analysis does not name. */
  readonly outsideConcern: "refuse" | "allow";
  /** Findings that an agent may keep after one warning; a person then decides. */
  readonly insist: readonly InsistableFinding[];
}

export const INSISTABLE_FINDINGS = ["weakened_tests"] as const;
export type InsistableFinding = (typeof INSISTABLE_FINDINGS)[number];

export interface PublishPolicy {
  /** `improve.publish`: that setting decides whether an agent publishes. */
  readonly by: "engine" | "improve.publish";
  /** `described`: title, texts and labels come from the analysis and the `describe` role. */
  readonly text: "task" | "described";
  /** Tasks of a project publish one after the other. */
  readonly oneAtATime: boolean;
  /** `limits.open_change_requests` holds. */
  readonly capOpen: boolean;
}

/** For work that a person asked for: they may mean any of it, and they look at it. */
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
 * For a pipeline that walks a list and has no `policy` block: the strict rules for work that nobody asked for. Versions of
 * `improve` that were stored before the block existed keep their rules this way. A test holds it equal to improve.yaml.
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
export function policyWithoutBlock(walksList: boolean): PipelinePolicy {
  return walksList ? NIGHTLY_POLICY : DEFAULT_POLICY;
}

/** Null: any number of lines. */
export function maxLinesOf({ maxLines }: ChangePolicy, improve: { readonly maxDiffLines: number }): number | null {
  return maxLines === "improve.max_diff_lines" ? improve.maxDiffLines : maxLines;
}
