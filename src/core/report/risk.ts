import { findDependencySection } from "../change/dependency-files.ts";
import type { CheckResult } from "../task/run.ts";

/** The recorded facts about a change that somebody may merge. */
export interface ChangeFacts {
  readonly files: readonly ChangedFile[];
  /** Rules of the diff policy that found something in the newest version. Notes are left out. */
  readonly findings: readonly string[];
  /** The newest result of each check. */
  readonly checks: readonly Pick<CheckResult, "name" | "severity" | "status">[];
  /** The newest verdict about the head commit. `missing`: the pipeline asks for one and there is none. */
  readonly review: "approved" | "changes_requested" | "missing" | "not_due";
  /** Critical comments of the newest review without an answer. */
  readonly openCritical: number;
}

export interface ChangedFile {
  readonly path: string;
  readonly insertions: number;
  readonly deletions: number;
}

export const RISKS = ["low", "medium", "high"] as const;
export interface Risk {
  readonly level: (typeof RISKS)[number];
  /** Empty only for a low risk. */
  readonly reasons: readonly string[];
}

/** Rules of the diff policy whose findings are a high risk, however small the change is. */
const HIGH_RISK_RULES: Readonly<Record<string, string>> = {
  dependency_file: "changes dependencies",
  gates_changed: "changes what is checked",
  submodule: "changes a submodule",
  binary_file: "contains a binary file",
};

const MANY_LINES = 100;
const MANY_FILES = 5;
const MINUTES_PER_FILE = 0.5;
const LINES_PER_MINUTE = 30;

export function assessRisk(facts: ChangeFacts): Risk {
  const high = listHighRisks(facts);
  if (high.length > 0) return { level: "high", reasons: high };
  const medium = listMediumRisks(facts);
  return { level: medium.length > 0 ? "medium" : "low", reasons: medium };
}

function listHighRisks({ findings, review, openCritical }: ChangeFacts): readonly string[] {
  const reasons = [...new Set(findings)].flatMap((rule) => HIGH_RISK_RULES[rule] ?? []);
  return [
    ...reasons,
    ...(openCritical > 0
      ? [openCritical === 1 ? "1 critical comment is open" : `${openCritical} critical comments are open`]
      : []),
    ...(review === "missing" ? ["was not reviewed"] : []),
    ...(review === "changes_requested" ? ["the review asks for changes"] : []),
  ];
}

function listMediumRisks({ findings, files, checks }: ChangeFacts): readonly string[] {
  const lines = countLines(files);
  const unsure = checks.filter(
    ({ severity, status }) => severity === "error" && status !== "passed" && status !== "skipped",
  );
  const rules = [...new Set(findings)].map((rule) => rule.replaceAll("_", " "));
  return [
    ...(rules.length > 0 ? [`warning: ${rules.join(", ")}`] : []),
    ...(lines > MANY_LINES ? [`${lines} changed lines`] : []),
    ...(files.length > MANY_FILES ? [`${files.length} files`] : []),
    ...unsure.map(({ name, status }) => `${name}: ${status.replaceAll("_", " ")}`),
  ];
}

/** Half a minute for each file and a minute for 30 changed lines. Lock files are not read. */
export function readingMinutes(files: readonly ChangedFile[]): number {
  const read = files.filter(({ path }) => findDependencySection(path)?.kind !== "whole");
  return Math.ceil(read.length * MINUTES_PER_FILE + countLines(read) / LINES_PER_MINUTE);
}

function countLines(files: readonly ChangedFile[]): number {
  return files.reduce((sum, { insertions, deletions }) => sum + insertions + deletions, 0);
}
