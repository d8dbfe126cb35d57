/**
 * Text from an agent, a ticket or a program can contain sequences that move the cursor, change the window title, write to the
 * clipboard or reverse the reading order. These functions keep the words and remove such sequences.
 */

// Commands with a body end within their line, so that a missing terminator does not remove what follows.
// oxlint-disable-next-line no-control-regex -- matches control characters
const ESCAPE_STRING =
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)/g;
// oxlint-disable-next-line no-control-regex -- matches control characters
const ESCAPE_SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;
// oxlint-disable-next-line no-control-regex -- matches control characters
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Marks that reorder or break lines, and tag characters, which can encode invisible text. */
const INVISIBLE = /[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Keeps visible characters, line feeds and tabs only. */
export function terminalText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(ESCAPE_STRING, "")
    .replace(ESCAPE_SEQUENCE, "")
    .replace(CONTROL, "")
    .replace(INVISIBLE, "");
}

/** Returns one line of at most `maxLength` characters, for titles, table cells and reasons. */
export function terminalLine(text: string, maxLength: number): string {
  // Clean only slightly more than can be shown.
  const characters = Array.from(
    terminalText(text.slice(0, maxLength * 8))
      .replace(/\s+/g, " ")
      .trim(),
  );
  if (characters.length <= maxLength) return characters.join("");
  return `${characters.slice(0, Math.max(0, maxLength - 1)).join("")}…`;
}
