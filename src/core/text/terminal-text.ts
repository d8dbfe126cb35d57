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
/** Marks that reorder or break lines, and characters without a glyph, which can hide text. U+FE0F selects emoji, so it stays. */
const INVISIBLE = /(?!\ufe0f)[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
/** The colours, and bold and italic, that the CLI itself prints. */
// oxlint-disable-next-line no-control-regex -- matches control characters
const OWN_STYLE = /(\u001b\[(?:1|22|3|23|3[0-79]|9[0-7])m)/;

/** What a terminal does not show, in the order in which it is removed. The first are strings with a body. */
export const HIDDEN: readonly RegExp[] = [ESCAPE_STRING, ESCAPE_SEQUENCE, CONTROL, INVISIBLE];

/** Keeps visible characters, line feeds and tabs only. */
export function terminalText(text: string): string {
  const lines = text.toWellFormed().replace(/\r\n?/g, "\n");
  return HIDDEN.reduce((left, pattern) => left.replace(pattern, ""), lines);
}

/** Cleans what the CLI is about to print, except for its own colours. The last line of defence: values are cleaned before. */
export function terminalOutput(text: string): string {
  return text
    .split(OWN_STYLE)
    .map((part, index) => (index % 2 === 1 ? part : terminalText(part)))
    .join("");
}

/** Shows control and invisible characters as escapes instead of removing them, for text that a person has to review. */
export function escapedText(text: string): string {
  return text.toWellFormed().replace(CONTROL, toEscape).replace(INVISIBLE, toEscape);
}

/** Like `escapedText`, on one line. */
export function escapedLine(text: string): string {
  return escapedText(text)
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\t", String.raw`\t`);
}

function toEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => String.raw`\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Formats a value as JSON that is safe to print. Programs read the same value from it. */
export function terminalJson(value: unknown, indent = 0): string {
  return escapedText(JSON.stringify(value, null, indent));
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
