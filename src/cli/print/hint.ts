import { terminalText } from "../../core/text/terminal-text.ts";

/** Sentences for a terminal; a command among them gets a line of its own, so that it can be copied. */
export function layOut(text: string, indent = ""): string {
  return terminalText(text)
    .trim()
    .replace(/[^\S\n]+(?=Run: |To go on without it)/g, "\n")
    .replace(/(?<=\bRun): |: (?=(?:sudo|printf) )/g, ":\n  ")
    .replace(/^( {2}(?:sudo|printf) .*) (\(and [^()]*\)\.?)$/gm, "$1\n$2")
    .split("\n")
    .join(`\n${indent}`);
}
