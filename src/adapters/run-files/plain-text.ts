// Colours, cursor movements, window titles: ESC followed by a bracketed sequence, a string up to its end, or one character.
const ESCAPES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;
// Everything that is not a character to be seen, but tab and line break; with it the marks that reorder text.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text that can be printed to a terminal or put into a prompt without doing anything there. */
export function toPlainText(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(ESCAPES, "").replaceAll(CONTROLS, "");
}
