import type { MeasuredCheck, ProjectBaseline } from "../../engine/run/checks/measure-baseline.ts";
import { fine, forNight, type Finding } from "./doctor-finding.ts";

const NO_CHECKS: Finding = {
  name: "checks",
  ok: "warn",
  detail: "none are configured, so only a person verifies a change",
  fix: "add commands under checks in nightshift.yaml, then run nightshift trust",
};

/** One finding for each check on the base commit, and one that says whether the checks can judge a change. */
export function describeBaseline({ branch, commit, results }: ProjectBaseline): readonly Finding[] {
  if (results.length === 0) return [forNight("checks", NO_CHECKS)];
  const where = `${branch} (${commit.slice(0, 8)})`;
  return [...results.map((result) => describeResult(result, where)), forNight("checks", summarize(results, where))];
}

function describeResult({ name, status, durationMs, exitCode, tail }: MeasuredCheck, where: string): Finding {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  const output = lastLines(tail);
  switch (status) {
    case "passed":
      return fine(`check ${name}`, `passed on ${where}, ${seconds}`);
    case "flaky":
      return { name: `check ${name}`, ok: "warn", detail: `failed and then passed on ${where}, ${seconds}`, fix: null };
    case "failed":
      return {
        name: `check ${name}`,
        ok: "warn",
        detail: `failed on ${where} with exit code ${exitCode ?? "unknown"}, ${seconds}${output}`,
        fix: "repair the default branch: a check that fails there cannot judge a change",
      };
    case "could_not_run":
      return {
        name: `check ${name}`,
        ok: "no",
        detail: `could not run on ${where}${output}`,
        fix: /was still running after \d+ s/.test(tail)
          ? "raise its timeout, or make it faster, then run nightshift trust"
          : "install what it needs and allow it under sandbox, then run nightshift trust",
      };
  }
}

/** A night gives up a change unless at least one of the checks that decide about it really passes. */
function summarize(results: readonly MeasuredCheck[], where: string): Finding {
  const count = (status: MeasuredCheck["status"]): number => results.filter((each) => each.status === status).length;
  const [failed, blocked] = [count("failed"), count("could_not_run")];
  const passed = results.length - failed - blocked;
  const parts = [`${passed} passed`, ...(failed > 0 ? [`${failed} failed`] : [])];
  const counts = [...parts, ...(blocked > 0 ? [`${blocked} could not run`] : [])].join(", ");
  const name = "checks";
  const detail = `${counts} on ${where}`;
  const deciding = results.filter(({ decides }) => decides);
  if (deciding.length === 0)
    return { name, ok: "warn", detail: `${detail}; none of them can reject a change`, fix: ADD_ERROR };
  const canJudge = deciding.some(({ status }) => status === "passed" || status === "flaky");
  if (blocked === 0 && canJudge) return { name, ok: "yes", detail, fix: null };
  const why = passed > 0 && !canJudge ? "; no check with severity error passed" : "";
  return { name, ok: "warn", detail: `${detail}${why}`, fix: "see the checks above" };
}

const ADD_ERROR = "set severity: error for a check in nightshift.yaml, then run nightshift trust";

const SHOWN_LINES = 3;

function lastLines(tail: string): string {
  const lines = tail.trim().split("\n").slice(-SHOWN_LINES);
  return tail.trim() === "" ? "" : `:\n${lines.join("\n")}`;
}
