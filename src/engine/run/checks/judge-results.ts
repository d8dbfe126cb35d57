import { judgeCheck, needsBaseline, type BaselineResult } from "../../../core/task/checks/judge-check.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import type { CheckSettings } from "../../../core/settings/settings.ts";
import type { Work } from "../step-context.ts";
import { measureBaseline } from "./measure-baseline.ts";
import type { CheckHost, RawCheckResult } from "./run-checks.ts";

export interface Comparison {
  readonly work: Work;
  readonly checks: readonly CheckSettings[];
  readonly results: readonly RawCheckResult[];
  /** The job that runs checks on the base commit. */
  readonly job: string;
}

/** Runs checks that did not pass on the base commit, too: what also happens there is not blamed on the change. */
export async function judgeByBaseline(
  host: CheckHost,
  { work, checks, results, job }: Comparison,
): Promise<readonly CheckResult[]> {
  const failed = checks.filter(({ name }) => results.some((result) => result.name === name && needsBaseline(result)));
  const tree = { job, name: treeOf(job) };
  const baseline =
    failed.length === 0 || work.baseCommit === work.headCommit
      ? []
      : await measureBaseline(host, { tree, commit: work.baseCommit, checks: failed, isUsable: isRecent(host) });
  return results.map((result): CheckResult => {
    const onBase = baseline.find(({ name }) => name === result.name);
    return { ...withRun(host, result), status: onBase === undefined ? result.status : judgeCheck(result, onBase) };
  });
}

/** A result from another day may come from another state of the machine or another date, so it cannot blame the change. */
const MAX_AGE_MS = 3_600_000;

function isRecent({ ports }: CheckHost): (result: BaselineResult) => boolean {
  return ({ measuredAt }) => ports.clock.now() - measuredAt < MAX_AGE_MS;
}

/** The counts and the names of failed tests are not stored with the result. */
export function withRun({ run }: CheckHost, result: RawCheckResult): CheckResult {
  const { name, severity, status, exitCode, durationMs, tail } = result;
  return { run: run.id, name, severity, status, exitCode, durationMs, tail };
}

/** Trees are named after their run, with a suffix. */
export function treeOf(job: string): string {
  return job.replace("/", ".");
}
