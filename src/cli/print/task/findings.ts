import { describeCheckStatus, BUILT_IN_CHECKS } from "../../../core/task/checks/describe-check.ts";
import { terminalText } from "../../../core/text/terminal-text.ts";
import type { CheckJson, TaskJson } from "../../../http/client/client.ts";
import { indentText } from "../terminal/fit-text.ts";
import { shortRunId } from "../terminal/short-id.ts";
import { paint, type Screen, type Style } from "../terminal/style.ts";

const MAX_NAMES = 5;
const MAX_LINES = 12;
const MAX_WIDTH = 240;

export function severityWord({ name, status, severity }: CheckJson): string {
  return BUILT_IN_CHECKS.has(name) && status === "passed" ? "–" : severity;
}

export function styleOfCheck({ status, severity }: CheckJson): Style {
  if (status === "passed") return "green";
  return severity === "error" ? "red" : "yellow";
}

/** Prints the output of the checks that did not pass, errors first. Returns an empty string if there is none. */
export function describeFindings(
  screen: Screen,
  task: Pick<TaskJson, "runs" | "checks">,
  checks: readonly CheckJson[] = task.checks,
): string {
  return checks
    .filter(hasFindings)
    .toSorted((a, b) => Number(b.severity === "error") - Number(a.severity === "error"))
    .map((check) => {
      const heading = paint(screen, styleOfCheck(check), `${terminalText(check.name)} ${describeCheckStatus(check)}`);
      const lines = shorten(check).map((line) => `${indentText(screen, line, "    ")}\n`);
      return `  ${heading} in ${shortRunId(screen, task, check.run)}\n${lines.join("")}`;
    })
    .join("");
}

/** Returns the checks of the latest run that has any. Findings of earlier runs may have been fixed since. */
export function lastChecks({ runs, checks }: Pick<TaskJson, "runs" | "checks">): readonly CheckJson[] {
  const last = runs.findLast(({ id }) => checks.some(({ run }) => run === id))?.id;
  return checks.filter(({ run }) => run === last);
}

/** A reason repeats the findings it is based on. Removes those lines, because the findings are printed separately. */
export function withoutFindings(text: string, task: Pick<TaskJson, "runs" | "checks">): string {
  const printed = new Set(lastChecks(task).flatMap(({ tail }) => tail.split("\n")));
  const [first = "", ...more] = text.split("\n");
  return [first, ...more.filter((line) => !printed.has(line))].join("\n");
}

function hasFindings({ status, tail, exit_code: code }: CheckJson): boolean {
  return status !== "passed" && (tail.trim() !== "" || code !== null);
}

/**
 * Programs print the error last, so the end of their output is kept, below the names of the failed tests. Of the engine's own
 * findings, errors are kept first.
 */
function shorten({ name, tail, exit_code: code }: CheckJson): readonly string[] {
  if (tail.trim() === "") return [`It printed nothing and ended with exit code ${code}.`];
  const lines = terminalText(tail)
    .trimEnd()
    .split("\n")
    .map((line) => (line.length <= MAX_WIDTH ? line : `${line.slice(0, MAX_WIDTH - 1)}…`));
  const more = lines.length - MAX_LINES;
  if (BUILT_IN_CHECKS.has(name)) {
    const sorted = lines.toSorted((a, b) => Number(b.startsWith("- error ")) - Number(a.startsWith("- error ")));
    return more <= 0 ? sorted : [...sorted.slice(0, MAX_LINES - 1), `… and ${more + 1} more lines`];
  }
  if (more <= 0) return lines;
  const names = failedTests(lines);
  return [...names, `… ${more + 1} more lines`, ...lines.slice(names.length + more + 1)];
}

/** The list of failed tests at the beginning, if there is one. */
function failedTests([heading = "", ...lines]: readonly string[]): readonly string[] {
  if (!/^Failed tests \(\d+\):$/.test(heading)) return [];
  const end = lines.findIndex((line) => !line.startsWith("- "));
  return [heading, ...lines.slice(0, Math.min(end, MAX_NAMES))];
}
