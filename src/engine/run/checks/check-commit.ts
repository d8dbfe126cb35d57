import { relatedCommand } from "../../../core/change/related-command.ts";
import type { CheckSettings } from "../../../core/settings/settings.ts";
import { isDeciding, judgeChange } from "../../../core/task/checks/judge-change.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import type { ExitRecord } from "../../../ports/supervisor.ts";
import { baselineJobOf, fullChecksJobOf, relatedBaselineJobOf } from "../run-jobs.ts";
import type { Work } from "../step-context.ts";
import { judgeByBaseline, treeOf } from "./judge-results.ts";
import { runChecks, type CheckHost, type PlannedCheck, type RawCheckResult, type TreeResult } from "./run-checks.ts";

export interface CommitParams {
  readonly work: Work;
  readonly checks: readonly CheckSettings[];
  /** The changed files that exist. */
  readonly files: readonly string[];
}

export interface CheckedCommit {
  /** The results before they were compared with the base commit. */
  readonly raw: readonly RawCheckResult[];
  readonly results: readonly CheckResult[];
  readonly setupFailure: string | null;
  readonly records: readonly ExitRecord[];
}

/**
 * Runs the checks on the commit. The `related` command of a check runs first: if it fails because of the change, the agent can
 * repair it without waiting for the full checks. If it passes, that counts for nothing.
 */
export async function checkCommit(host: CheckHost, params: CommitParams): Promise<CheckedCommit> {
  const { ports, run, settings } = host;
  const { work, checks } = params;
  const tree = { job: run.id, name: run.id, commit: work.headCommit, place: "change", overlay: null } as const;
  const planned = planChecks(params, settings.failOnWarning);
  const first = await runChecks(host, tree, planned);
  ports.hooks.passCheckpoint("checks.ended");
  if (first.results.length === planned.length) return judgeFullChecks(host, params, { ran: first, records: [] });
  const { record, results: raw } = first;
  const early = await judgeByBaseline(host, { work, checks: planned, results: raw, job: relatedBaselineJobOf(run.id) });
  if (hasFailed(early, settings.failOnWarning)) return { raw, results: early, setupFailure: null, records: [record] };
  const job = fullChecksJobOf(run.id);
  const full = await runChecks(host, { ...tree, job, name: treeOf(job) }, checks);
  return judgeFullChecks(host, params, { ran: full, records: [record] });
}

/** A check's `related` command runs directly before the check, which may need what earlier checks have built. */
function planChecks({ checks, files }: CommitParams, failOnWarning: boolean): readonly PlannedCheck[] {
  return checks.flatMap((check) => {
    const command = relatedCommand(check, files);
    if (command === check.command || !isDeciding(check, failOnWarning)) return [check];
    return [{ ...check, command, name: `${check.name} (related)`, stopsOnFailure: true }, check];
  });
}

async function judgeFullChecks(
  host: CheckHost,
  { work, checks }: CommitParams,
  { ran, records }: { readonly ran: TreeResult; readonly records: readonly ExitRecord[] },
): Promise<CheckedCommit> {
  const raw = ran.results.filter(({ name }) => checks.some((check) => check.name === name));
  const results = await judgeByBaseline(host, { work, checks, results: raw, job: baselineJobOf(host.run.id) });
  return { raw, results, setupFailure: ran.setupFailure, records: [...records, ran.record] };
}

function hasFailed(results: readonly CheckResult[], failOnWarning: boolean): boolean {
  const nothingElse = { withBaseGates: [], gates: [], proofs: [], doubts: [] };
  return judgeChange({ results, ...nothingElse, failOnWarning }).kind === "failed";
}
