import { terminalText } from "./terminal-text.ts";

/** Looks the same and means nothing to the forge. */
const NOTHING = "\u200B";

const ACTION = /^([ \t>*+-]*)\/(?=[a-z_])/gim;
const MENTION = /@(?=[\p{L}\p{N}_])/gu;
const REFERENCE = /([#!]|\bGH-)(?=\d)/gi;
const HTML = /<(?=[a-z/!?])/gi;
const IMAGE = /!\[/g;
const MAX_TEXT = 20_000;

/**
 * An agent's prose for a forge's page. Forges obey what they read: a line `/merge` is an order, `@name` calls somebody,
 * `closes #12` closes, an image tells its server who looks. None of that may come from an agent.
 */
export function forgeText(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n…` : text;
  return terminalText(cut)
    .replaceAll(HTML, "&lt;")
    .replaceAll(IMAGE, `!${NOTHING}[`)
    .replaceAll(ACTION, `$1${NOTHING}/`)
    .replaceAll(MENTION, `@${NOTHING}`)
    .replaceAll(REFERENCE, `$1${NOTHING}`)
    .trim();
}

const TRAILER = /^(co-authored-by|signed-off-by|generated[ -](by|with)|assisted-by|reviewed-by|approved-by|🤖)/i;
/** What tells a forge to run no checks. */
const SKIP = /\[(?:skip[ -]?(?:ci|actions)|(?:ci|actions)[ -]?skip|no[ -]?ci)\]|\*{3}no_ci\*{3}|skip-checks:\s*true/gi;
/** Merged, it would close issues that nobody meant. */
const CLOSING =
  /\b(?:clos(?:e|es|ed|ing)|fix(?:e[sd])?|fixing|resolv(?:e|es|ed|ing))(?=:?\s+(?:[\w./-]*#\d|GH-\d|https?:))/gi;
const MAX_MESSAGE = 5_000;
const MAX_SUBJECT = 200;

/** A commit message as an agent wrote it, without marks, signatures and orders to the forge. */
export function commitText(message: string): string {
  const lines = terminalText(message.slice(0, MAX_MESSAGE))
    .replaceAll(SKIP, "")
    .replaceAll(CLOSING, "see")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => !TRAILER.test(line.trim()));
  const [subject = "", ...body] = lines.join("\n").trim().split("\n");
  return [subject.slice(0, MAX_SUBJECT), ...body]
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}
