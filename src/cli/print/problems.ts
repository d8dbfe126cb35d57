import type { CliContext } from "../context.ts";
import { layOut } from "./hint.ts";
import { paint } from "./style.ts";

/** What the daemon cannot do now, or does without protection. */
export function describeProblems(context: Pick<CliContext, "color">, problems: readonly string[]): string {
  return problems
    .map((problem) => `${paint(context, "red", "!")} ${paint(context, "yellow", layOut(problem, "  "))}\n`)
    .join("");
}
