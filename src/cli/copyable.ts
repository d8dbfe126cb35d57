import { shellWord } from "../core/change/related-command.ts";
import { UserError } from "../core/text/errors.ts";
import { terminalText } from "../core/text/terminal-text.ts";

/** Stands for the person's own words in commands that Nightshift prints. */
export const PLACEHOLDER = "…";

/** A command that was copied without filling it in must not send the placeholder. */
export function refusePlaceholder(text: string | undefined): void {
  if (text?.trim() === PLACEHOLDER)
    throw new UserError(
      "invalid",
      `"${PLACEHOLDER}" stands for your own words.`,
      "Replace it and run the command again.",
    );
}

/** Whether a terminal shows the whole text, on one line. */
export function isCopyable(text: string): boolean {
  return terminalText(text) === text && !/[\n\t]/.test(text);
}

/**
 * Quotes a word for a command that a person may copy. What a terminal does not show is removed from all output, and quotes can
 * be lost with it. So the placeholder replaces a word with such characters.
 */
export function copyableWord(text: string): string {
  return text !== PLACEHOLDER && isCopyable(text) ? shellWord(text) : `"${PLACEHOLDER}"`;
}
