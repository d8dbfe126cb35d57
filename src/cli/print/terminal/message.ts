import { terminalText } from "../../../core/text/terminal-text.ts";
import { wrapLines } from "./fit-text.ts";
import { paint, type Screen } from "./style.ts";

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

const COMMAND = /`[^`\n]+`|"nightshift [^"\n]+"|(?<=^ {2})\S.*/gm;
const NO_BREAK = "\u00a0";

/**
 * Formats our own sentences with a hanging indent. Commands are not broken, so that they can be copied. For the text of agents,
 * use `indentText`.
 */
export function hangMessage(screen: Screen, text: string, hang: string): string {
  const kept = formatMessage(text).replace(COMMAND, (command) => command.replaceAll(" ", NO_BREAK));
  return wrapLines(screen, kept, hang.length, false).join(`\n${hang}`).replaceAll(NO_BREAK, " ");
}

/** Formats the problems that the daemon reports, such as a missing sandbox. */
export function describeProblems(screen: Screen, problems: readonly string[]): string {
  return problems
    .map((problem) => `${paint(screen, "red", "!")} ${paint(screen, "yellow", hangMessage(screen, problem, "  "))}\n`)
    .join("");
}
