import { relatedCommand } from "../../../core/change/related-command.ts";
import type { CheckSettings } from "../../../core/settings/settings.ts";
import type { BaselineResult } from "../../../core/task/checks/judge-check.ts";
import { judgeProof, NO_TEST, NO_TEST_CHECK, type FixProof } from "../../../core/task/checks/proof.ts";
import type { ExitRecord } from "../../../ports/supervisor.ts";
import { proofBaselineJobOf, proofChangeJobOf, proofJobOf } from "../run-jobs.ts";
import type { Work } from "../step-context.ts";
import { treeOf } from "./judge-results.ts";
import { measureBaseline } from "./measure-baseline.ts";
import { runChecks, type CheckHost, type RawCheckResult } from "./run-checks.ts";

export interface FixProofParams {
  readonly work: Work;
  readonly checks: readonly CheckSettings[];
  /** What the checks said about the change. */
  readonly results: readonly RawCheckResult[];
  /** Files of tests that the change adds or alters. */
  readonly tests: readonly string[];
}

export interface FixProofResult {
  readonly proof: FixProof;
  readonly records: readonly ExitRecord[];
}

/** Runs the tests of the change on the base commit, where they must fail, and compares that with the change. */
export async function proveFix(host: CheckHost, params: FixProofParams): Promise<FixProofResult> {
  const { work, checks, results, tests } = params;
  if (tests.length === 0) return { proof: NO_TEST, records: [] };
  const tried = checks.filter((check) => runsTests(check, results));
  if (tried.length === 0) return { proof: NO_TEST_CHECK, records: [] };
  const commands = tried.map((check) => ({ ...check, command: relatedCommand(check, tests) }));
  const onBase = await runOnBase(host, work, { commands, tests });
  const failed = tried.filter(({ name }) => findNamed(onBase.results, name)?.status === "failed");
  const base = failed.length === 0 ? [] : await measureBase(host, work, failed);
  const alone = commands.filter(({ name, command }) =>
    failed.some((each) => each.name === name && each.command !== command),
  );
  const onChange = alone.length === 0 ? null : await runOnChange(host, work, alone);
  const proofs = onBase.results.flatMap((result) => {
    const { name } = result;
    const here = findNamed(onChange?.results ?? [], name) ?? findNamed(results, name);
    return here === null ? [] : [judgeProof({ onBase: result, base: findNamed(base, name), onChange: here })];
  });
  // One check that proves the fix is enough.
  const proof = proofs.find(({ result }) => result === "proven") ?? proofs[0] ?? NO_TEST_CHECK;
  return { proof, records: [onBase.record, ...(onChange === null ? [] : [onChange.record])] };
}

/** A check that could not run on the change cannot prove anything either. */
function runsTests({ name }: CheckSettings, results: readonly RawCheckResult[]): boolean {
  const result = findNamed(results, name);
  if (result === null || result.status === "could_not_run") return false;
  return result.counts !== null || /test|spec/i.test(name);
}

function findNamed<T extends { readonly name: string }>(all: readonly T[], name: string): T | null {
  return all.find((each) => each.name === name) ?? null;
}

async function runOnBase(
  host: CheckHost,
  { baseCommit, headCommit }: Work,
  { commands, tests }: { readonly commands: readonly CheckSettings[]; readonly tests: readonly string[] },
) {
  const job = proofJobOf(host.run.id);
  const overlay = { commit: headCommit, files: tests };
  return runChecks(host, { job, name: treeOf(job), commit: baseCommit, place: "base_with_tests", overlay }, commands);
}

/** The whole checks, as they are configured: a base that is red anyway makes the tests of the change fail, too. */
async function measureBase(
  host: CheckHost,
  { baseCommit }: Work,
  checks: readonly CheckSettings[],
): Promise<readonly BaselineResult[]> {
  const job = proofBaselineJobOf(host.run.id);
  return measureBaseline(host, { tree: { job, name: treeOf(job) }, commit: baseCommit, checks });
}

/** A `related` command can fail for its own reasons, so it must pass on the change. */
async function runOnChange(host: CheckHost, { headCommit }: Work, commands: readonly CheckSettings[]) {
  const job = proofChangeJobOf(host.run.id);
  return runChecks(host, { job, name: treeOf(job), commit: headCommit, place: "change", overlay: null }, commands);
}
