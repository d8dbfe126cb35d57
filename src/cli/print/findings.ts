import { checkWord, OWN_CHECKS } from "../../core/task/describe-check.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import type { CheckJson, TaskJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { paint } from "./style.ts";

const MAX_LINES = 12;
const MAX_WIDTH = 240;

export function severityWord({ name, status, severity }: CheckJson): string {
  return OWN_CHECKS.has(name) && status === "passed" ? "–" : severity;
}

export function paintCheck(context: Pick<CliContext, "color">, check: CheckJson, text: string): string {
  if (check.status === "passed") return paint(context, "green", text);
  return paint(context, check.severity === "error" ? "red" : "yellow", text);
}

/** What the checks that did not pass have to say, errors first; empty where there is nothing to tell. */
export function describeFindings(context: Pick<CliContext, "color">, checks: readonly CheckJson[]): string {
  return checks
    .filter(hasFindings)
    .toSorted((a, b) => Number(b.severity === "error") - Number(a.severity === "error"))
    .map((check) => {
      const heading = paintCheck(context, check, `${terminalText(check.name)} ${checkWord(check)}`);
      const lines = shorten(check).map((line) => `    ${line}\n`);
      return `  ${heading} in ${check.run}\n${lines.join("")}`;
    })
    .join("");
}

/** Those of the newest run that has any: what was repaired since is history. */
export function lastChecks({ runs, checks }: Pick<TaskJson, "runs" | "checks">): readonly CheckJson[] {
  const last = runs.findLast(({ id }) => checks.some(({ run }) => run === id))?.id;
  return checks.filter(({ run }) => run === last);
}

/** Reasons repeat the findings that they stand on; where those are shown, the rest is enough. */
export function withoutFindings(text: string, task: Pick<TaskJson, "runs" | "checks">): string {
  const told = new Set(lastChecks(task).flatMap(({ tail }) => tail.split("\n")));
  const [first = "", ...more] = text.split("\n");
  return [first, ...more.filter((line) => !told.has(line))].join("\n");
}

function hasFindings({ status, tail }: CheckJson): boolean {
  return status !== "passed" && tail.trim() !== "";
}

/** A program says last what went wrong; of the engine's findings the worst come first. */
function shorten({ name, tail }: CheckJson): readonly string[] {
  const lines = terminalText(tail)
    .trimEnd()
    .split("\n")
    .map((line) => (line.length <= MAX_WIDTH ? line : `${line.slice(0, MAX_WIDTH - 1)}…`));
  const more = lines.length - MAX_LINES;
  if (OWN_CHECKS.has(name)) {
    const sorted = lines.toSorted((a, b) => Number(b.startsWith("- error ")) - Number(a.startsWith("- error ")));
    return more <= 0 ? sorted : [...sorted.slice(0, MAX_LINES - 1), `… and ${more + 1} more lines`];
  }
  return more <= 0 ? lines : [`… ${more + 1} lines before`, ...lines.slice(more + 1)];
}
