import { terminalText } from "../../core/text/terminal-text.ts";

/** Formats sentences for a terminal. Commands to copy ("Run: …", "sudo …") get a line of their own. */
export function formatMessage(text: string, indent = ""): string {
  return terminalText(text)
    .trim()
    .replace(/[^\S\n]+(?=Run: |To go on without it)/g, "\n")
    .replace(/(?<=\bRun): |: (?=(?:sudo|printf) )/g, ":\n  ")
    .replace(/^( {2}(?:sudo|printf) .*) (\(and [^()]*\)\.?)$/gm, "$1\n$2")
    .split("\n")
    .join(`\n${indent}`);
}
