import type { CliContext } from "../context.ts";
import { formatMessage } from "./hint.ts";
import { paint } from "./style.ts";

/** Formats the problems that the daemon reports, such as a missing sandbox. */
export function describeProblems(context: Pick<CliContext, "color">, problems: readonly string[]): string {
  return problems
    .map((problem) => `${paint(context, "red", "!")} ${paint(context, "yellow", formatMessage(problem, "  "))}\n`)
    .join("");
}
