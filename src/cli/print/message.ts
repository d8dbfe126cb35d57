import { terminalText } from "../../core/text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { paint } from "./style.ts";

/** Formats sentences for a terminal. Commands to copy ("Run: …", "sudo …") get a line of their own. */
export function formatMessage(text: string, indent = ""): string {
  return terminalText(text)
    .trim()
    .replace(/[^\S\n]+(?=Run: |If this machine cannot)/g, "\n")
    .replace(/(?<=\bRun): |: (?=(?:sudo|printf) )/g, ":\n  ")
    .replace(/^( {2}(?:sudo|printf) .*) (\(and [^()]*\)\.?)$/gm, "$1\n$2")
    .split("\n")
    .join(`\n${indent}`);
}

/** Formats the problems that the daemon reports, such as a missing sandbox. */
export function describeProblems(context: Pick<CliContext, "color">, problems: readonly string[]): string {
  return problems
    .map((problem) => `${paint(context, "red", "!")} ${paint(context, "yellow", formatMessage(problem, "  "))}\n`)
    .join("");
}
