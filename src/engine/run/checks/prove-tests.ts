import type { CheckSettings } from "../../../core/settings/settings.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import type { ExitRecord } from "../../../ports/supervisor.ts";
import type { ProofMode } from "../../../policy/weakened-tests/changed-tests.ts";
import { describeMissingTests } from "../../../policy/weakened-tests/test-counts.ts";
import { baseTestsBaselineJobOf, baseTestsJobOf, countsJobOf } from "../run-jobs.ts";
import type { Work } from "../step-context.ts";
import { judgeByBaseline, treeOf } from "./judge-results.ts";
import { measureBaseline } from "./measure-baseline.ts";
import { runChecks, type CheckHost, type RawCheckResult } from "./run-checks.ts";

export interface TestProofParams {
  readonly work: Work;
  readonly checks: readonly CheckSettings[];
  /** What the checks said about the change. */
  readonly results: readonly RawCheckResult[];
  /** Existing tests that the change alters or deletes. */
  readonly tests: readonly string[];
  /** Whether the change touches anything that decides which tests run. */
  readonly touchesTests: boolean;
  /** What happens if fewer tests run, and if the earlier tests fail. */
  readonly onFewer: ProofMode;
  readonly onFailure: ProofMode;
}

/** Whether the change kept the tests, by running them instead of reading them. */
export interface TestProof {
  readonly results: readonly CheckResult[];
  /** Why a person has to decide. */
  readonly doubts: readonly string[];
  readonly records: readonly ExitRecord[];
}

export const NO_PROOF: TestProof = { results: [], doubts: [], records: [] };

export async function proveTests(host: CheckHost, params: TestProofParams): Promise<TestProof> {
  const counted = params.touchesTests ? await compareCounts(host, params) : NO_PROOF;
  const repeated = params.tests.length > 0 ? await runBaseTests(host, params) : NO_PROOF;
  return {
    results: [...counted.results, ...repeated.results],
    doubts: [...counted.doubts, ...repeated.doubts],
    records: [...counted.records, ...repeated.records],
  };
}

/** Compares how many tests and assertions ran with what ran on the base commit. */
async function compareCounts(host: CheckHost, params: TestProofParams): Promise<TestProof> {
  const { work, checks, results, onFewer } = params;
  const compared = checks.filter((check) => mayRunTests(check, results));
  if (compared.length === 0) return NO_PROOF;
  const job = countsJobOf(host.run.id);
  const tree = { job, name: treeOf(job) };
  const baseline = await measureBaseline(host, { tree, commit: work.baseCommit, checks: compared });
  const measured = baseline.flatMap(({ name, status, counts }) => {
    const onChange = results.find((result) => result.name === name);
    return status !== "passed" || counts == null || onChange === undefined ? [] : [{ name, counts, onChange }];
  });
  if (measured.length === 0) return NO_PROOF;
  const missing = measured.flatMap(({ name, counts, onChange }) => {
    const what = describeMissingTests(counts, onChange.counts);
    return what === null ? [] : [`The check "${name}" ran ${what}.`];
  });
  const advice = "All tests that ran before must still run. Restore them.";
  const tail = missing.length === 0 ? "" : `${missing.join("\n")} ${advice}`;
  return toProof(host, {
    name: "number of tests",
    mode: onFewer,
    tail,
    doubt: "fewer tests run than before the change",
  });
}

/** A flaky check has the output of two runs, so its counts are not compared. */
function mayRunTests({ name, command }: CheckSettings, results: readonly RawCheckResult[]): boolean {
  const result = results.find((each) => each.name === name);
  return result?.status === "passed" && (result.counts !== null || /test|spec|check/i.test(`${name} ${command}`));
}

/** Runs the checks on the change with the base commit's version of the tests that it alters. */
async function runBaseTests(host: CheckHost, params: TestProofParams): Promise<TestProof> {
  const { work, tests, results, onFailure } = params;
  const passed = params.checks.filter((check) => mayRunTests(check, results) || wasFlaky(check, results));
  // Without a check that runs tests there is nothing to repeat.
  if (passed.length === 0) return NO_PROOF;
  const job = baseTestsJobOf(host.run.id);
  const overlay = { commit: work.baseCommit, files: tests };
  const tree = { job, name: treeOf(job), commit: work.headCommit, place: "change_with_base_files", overlay } as const;
  const { record, results: raw, setupFailure } = await runChecks(host, tree, passed);
  if (setupFailure !== null) return { ...NO_PROOF, records: [record] };
  const judged = await judgeByBaseline(host, {
    work,
    checks: passed,
    results: raw,
    job: baseTestsBaselineJobOf(host.run.id),
  });
  const failed = judged.filter(({ status }) => status === "failed");
  const tail = failed.map((each) => describeFailure(each, tests)).join("\n\n");
  const doubt = "the change alters behaviour that earlier tests fix";
  return { ...toProof(host, { name: "tests of the base", mode: onFailure, tail, doubt }), records: [record] };
}

function wasFlaky({ name }: CheckSettings, results: readonly RawCheckResult[]): boolean {
  return results.some((result) => result.name === name && result.status === "flaky");
}

function describeFailure({ name, tail }: CheckResult, tests: readonly string[]): string {
  const files = tests.length > 5 ? `${tests.slice(0, 5).join(", ")} and ${tests.length - 5} more` : tests.join(", ");
  const advice = "Keep the behaviour that they expect, unless the task asks for another one.";
  return `The check "${name}" fails with the earlier version of ${files}. ${advice} The relevant part of its output:\n${tail}`;
}

/** An empty `tail` is a success. */
function toProof(
  { run }: CheckHost,
  { name, mode, tail, doubt }: { name: string; mode: ProofMode; tail: string; doubt: string },
): TestProof {
  const status = tail === "" ? "passed" : "failed";
  const severity = mode === "fail" ? "error" : "warning";
  const result: CheckResult = { run: run.id, name, severity, status, exitCode: null, durationMs: 0, tail };
  return { results: [result], doubts: status === "failed" && mode === "ask" ? [doubt] : [], records: [] };
}
