import type { ProofGate } from "../../settings/settings.ts";
import { failsBecauseOfErrors, type BaselineResult } from "./judge-check.ts";
import type { CheckResult } from "../run.ts";

/** Whether the tests of a change fail without it, so that they show what it fixes. */
export const PROOFS = ["proven", "not_proven", "no_test"] as const;
export type Proof = (typeof PROOFS)[number];

/** The name of the check result that holds the proof. It has spaces, so no check of a project has the same name. */
export const PROOF_CHECK = "proof of the fix";

export interface FixProof {
  readonly result: Proof;
  /** A sentence for the agent and for people. */
  readonly reason: string;
  /** The agent can do something about it. */
  readonly isRepairable: boolean;
}

const ADVICE = "Add or change a test so that it fails without the fix and passes with it.";

/** Tests in the same file as the code, as in Rust, cannot run without the fix. */
export const NO_TEST: FixProof = {
  result: "no_test",
  reason: `The change adds or changes no test in a file of its own. ${ADVICE}`,
  isRepairable: true,
};

export const NO_TEST_CHECK: FixProof = {
  result: "not_proven",
  reason: "No check of the project runs tests, so the tests of the change could not be run on the base commit.",
  isRepairable: false,
};

type Tried = Pick<BaselineResult, "status" | "exitCode" | "tail" | "counts" | "failures">;

/** The results of one check. */
export interface ProofRuns {
  /** The base commit with the tests of the change. */
  readonly onBase: Tried;
  /** The base commit as it is. Only needed if the tests fail there. */
  readonly base: Tried | null;
  readonly onChange: Tried;
}

/** The tests prove the fix if they fail on the base commit because of what the change fixes, and pass on the change. */
export function judgeProof({ onBase, base, onChange }: ProofRuns): FixProof {
  switch (onBase.status) {
    case "passed":
      return unproven(
        `The tests of the change pass on the base commit too, so they do not show the fix. ${ADVICE}`,
        true,
      );
    case "flaky":
      return unproven(
        `The tests of the change are flaky on the base commit: they failed there and then passed. ${ADVICE}`,
        true,
      );
    case "could_not_run":
      return unproven(`The tests of the change could not run on the base commit: ${firstLine(onBase.tail)}`, false);
    case "failed":
      return judgeFailure(onBase, base, onChange);
  }
}

function judgeFailure(onBase: Tried, base: Tried | null, onChange: Tried): FixProof {
  const isGreen = base !== null && isPass(base);
  if (isGreen && isPass(onChange)) return proven(onBase, onBase.failures?.tests ?? []);
  if (isGreen) return unproven("The tests of the change do not pass on the change when they run by themselves.", true);
  const others = [base, ...(isPass(onChange) ? [] : [onChange])].map((each) => (each === null ? null : namesOf(each)));
  const added = (namesOf(onBase) ?? []).filter((name) => others.every((names) => names?.includes(name) === false));
  if (added.length > 0) return proven(onBase, added);
  return unproven(
    "The tests fail on the base commit even without the tests of the change, so a failure there shows nothing about the fix.",
    false,
  );
}

/** Null if it is not known which tests fail: a compiler's error can hide some. */
function namesOf({ status, failures }: Tried): readonly string[] | null {
  if (status !== "failed" || failures == null || failures.hasErrors || failures.tests.length === 0) return null;
  return failures.tests;
}

function isPass({ status }: Tried): boolean {
  return status === "passed" || status === "flaky";
}

function proven(onBase: Tried, names: readonly string[]): FixProof {
  const which = names.length === 0 ? "The tests of the change" : describeNames(names);
  // Usually they use a function that the change adds.
  const how = names.length === 0 && failsBecauseOfErrors(onBase) ? "do not compile or load" : "fail";
  const verb = names.length === 1 ? "fails" : how;
  const pass = names.length === 1 ? "passes" : "pass";
  return {
    result: "proven",
    reason: `${which} ${verb} on the base commit and ${pass} on the change.`,
    isRepairable: false,
  };
}

const MAX_NAMES = 5;

function describeNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => `"${name.slice(0, 200)}"`);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

function unproven(reason: string, isRepairable: boolean): FixProof {
  return { result: "not_proven", reason, isRepairable };
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0]?.slice(0, 300) ?? "";
}

/**
 * What happens after a proof. Tests that pass without the fix are sent back to the agent once. A project that requires the
 * proof also sends a missing test back, and then a person decides.
 */
export function decideProof(
  { result, isRepairable }: FixProof,
  gate: ProofGate,
  wasSentBack: boolean,
): "continue" | "send_back" | "ask" {
  if (result === "proven") return "continue";
  const isWrong = result === "not_proven" || gate === "require";
  if (isWrong && isRepairable && !wasSentBack) return "send_back";
  return gate === "require" ? "ask" : "continue";
}

const STATUSES = { proven: "passed", not_proven: "failed", no_test: "skipped" } as const;

/** The proof as the result of a check. It never rejects a change by itself, so it is a warning. */
export function toProofCheck(run: string, { result, reason }: FixProof): CheckResult {
  const status = STATUSES[result];
  return { run, name: PROOF_CHECK, severity: "warning", status, exitCode: null, durationMs: 0, tail: reason };
}

/** The proof of the newest checks. Null if they did not prove anything. */
export function findProof<T extends Pick<CheckResult, "run" | "name" | "status">>(
  checks: readonly T[],
): { readonly result: Proof; readonly check: T } | null {
  const newest = checks.at(-1)?.run;
  const check = checks.find(({ run, name }) => run === newest && name === PROOF_CHECK);
  const result = check === undefined ? undefined : PROOFS.find((each) => STATUSES[each] === check.status);
  return check === undefined || result === undefined ? null : { result, check };
}
