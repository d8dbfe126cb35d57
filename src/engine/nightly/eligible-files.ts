import { ENOUGH_COMMITS, lastCommits, recentCommitsToAvoid } from "../../core/nightly/recent-commits.ts";
import { summarizePaths } from "../../core/nightly/summarize-paths.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Role } from "../../core/task/role.ts";
import { protectedBy } from "../../policy/diff/is-protected.ts";
import type { EnginePorts } from "../ports.ts";
import { endNight } from "./night-over.ts";
import { loadDiffRules } from "../run/load-diff-rules.ts";
import type { StepContext, Work } from "../run/step-context.ts";

/** The files of the base commit that a change may touch, and why it may not touch the others. */
export interface EligibleFiles {
  /** How many of the newest commits count as recent. */
  readonly recentCommits: number;
  readonly all: readonly string[];
  /** Changed by the recent commits. Empty if the pipeline allows changes to them. */
  readonly recent: readonly string[];
  /** Files that define dependencies or checks. */
  readonly protectedFiles: readonly string[];
  readonly eligible: number;
}

export interface EligibleParams {
  readonly project: { readonly name: string };
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly base: string;
}

type WorkspacePorts = Pick<EnginePorts, "workspaces">;

export async function findEligibleFiles(ports: WorkspacePorts, params: EligibleParams): Promise<EligibleFiles> {
  const recentCommits = await countRecentCommits(ports, params);
  const commit = { project: params.project.name, base: params.base };
  const [all, touched, rules] = await Promise.all([
    ports.workspaces.listFiles(commit),
    ports.workspaces.recentFiles({ ...commit, commits: recentCommits }),
    loadDiffRules(ports, { ...params, task: null }),
  ]);
  const isProtected = protectedBy(rules);
  const wasTouched = new Set(touched);
  const recent = all.filter((path) => wasTouched.has(path));
  const protectedFiles = all.filter((path) => !wasTouched.has(path) && isProtected(path));
  return { recentCommits, all, recent, protectedFiles, eligible: all.length - recent.length - protectedFiles.length };
}

/** Zero if the pipeline allows changes to recently changed files. */
export async function countRecentCommits(
  ports: WorkspacePorts,
  { project, settings, pipeline, base }: EligibleParams,
): Promise<number> {
  if (pipeline.policy.change.recentFiles === "allow") return 0;
  const { avoidRecentCommits } = settings.improve;
  const history =
    avoidRecentCommits ?? (await ports.workspaces.countCommits({ project: project.name, base, max: ENOUGH_COMMITS }));
  return recentCommitsToAvoid(avoidRecentCommits, history);
}

/** Ends the night before it pays for an analysis whose every candidate would be dropped. */
export async function checkFilesBeforeAnalysis(
  { ports, project, settings, pipeline, state }: StepContext,
  role: Role,
  { baseCommit: base }: Work,
): Promise<Outcome | null> {
  if (role !== "analyze") return null;
  const files = await findEligibleFiles(ports, { project, settings, pipeline, base });
  if (files.eligible > 0) return null;
  return endNight(state, explainNoEligibleFiles(files));
}

export function explainNoEligibleFiles({ all, recent, protectedFiles, recentCommits }: EligibleFiles): string {
  if (all.length === 0) return "the default branch has no files";
  const reasons = [
    ...(recent.length === 0
      ? []
      : [`${recent.length} changed within ${lastCommits(recentCommits)} (improve.avoid_recent_commits)`]),
    ...(protectedFiles.length === 0 ? [] : [`${protectedFiles.length} define dependencies or checks`]),
  ];
  return `no file can be changed: of ${all.length} files, ${reasons.join(" and ")}`;
}

/** Whole directories where possible, because a list of thousands of files would fill the prompt. */
export function summarizeExcluded({ all, recent, protectedFiles }: EligibleFiles): {
  readonly recent: readonly string[];
  readonly protectedFiles: readonly string[];
} {
  return { recent: summarizePaths(recent, all), protectedFiles: summarizePaths(protectedFiles, all) };
}
