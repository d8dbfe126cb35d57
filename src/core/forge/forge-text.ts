import { terminalLine, terminalText } from "../text/terminal-text.ts";

/** Looks the same and means nothing to the forge. */
const NOTHING = "\u200B";

const ACTION = /^([ \t>*+-]*)\/(?=[a-z_])/gim;
const MENTION = /@(?=[\p{L}\p{N}_])/gu;
const REFERENCE = /([#!]|\bGH-)(?=\d)/gi;
const HTML = /<(?=[a-z/!?])/gi;
const IMAGE = /!\[/g;
const MAX_TEXT = 20_000;

/** What tells a forge, or what runs behind it, to run no checks. */
const SKIP =
  /\[\s*(?:skip|no)[ _-]*(?:ci|actions?|checks?|builds?)\s*\]|\[\s*(?:ci|actions?|checks?|builds?)[ _-]*skip\s*\]|\*{3}no_ci\*{3}|skip-checks:\s*true/gi;
/** Merged, it would close issues that nobody meant: a word of closing, then what could be meant. */
const CLOSING =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)((?:\s*:\s*|\s+)(?:issues?\s*:?\s+)?["'`*_<([]*)([\w./-]*[#!]\d|https?:\/\/|[a-z]\w*-\d)/gi;
/** As trackers beside the forge name their issues; standards are called in the same way. */
const KEY = /^(?!(?:UTF|UCS|ISO|IEC|IEEE|RFC|CVE|CWE|SHA|AES|RSA|MD|BASE|ES|TLS|HTTP|IP|IPV)-)[A-Z][A-Z0-9_]+-\d$/;

/** Without orders to the forge. Taking one out may put another together, so it is done until there is none. */
export function withoutOrders(text: string): string {
  for (let left = text; ;) {
    const next = left.replaceAll(SKIP, "").replaceAll(CLOSING, close);
    if (next === left) return next;
    left = next;
  }
}

function close(found: string, between: string, meant: string): string {
  const isIssue = /[#!]\d$|:\/\/$|^GH-\d$/i.test(meant) || KEY.test(meant);
  return isIssue ? `see${between}${meant}` : found;
}

/**
 * An agent's prose for a forge's page. Forges obey what they read: a line `/merge` is an order, `@name` calls somebody,
 * `closes #12` closes, an image tells its server who looks. None of that may come from an agent.
 */
export function forgeText(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n…` : text;
  return withoutOrders(terminalText(cut))
    .replaceAll(HTML, "&lt;")
    .replaceAll(IMAGE, `!${NOTHING}[`)
    .replaceAll(ACTION, `$1${NOTHING}/`)
    .replaceAll(MENTION, `@${NOTHING}`)
    .replaceAll(REFERENCE, `$1${NOTHING}`)
    .trim();
}

/** A title of a change request: merged with a squash, it is the commit's. */
export function titleText(title: string, maxLength: number): string {
  return withoutOrders(terminalLine(title, maxLength)).replaceAll(/\s+/g, " ").trim();
}

const MARK = /^(co-authored-by|signed-off-by|generated[ -](by|with)|assisted-by|reviewed-by|approved-by|🤖)/i;
const TRAILER = /^[a-z0-9-]+\s*:(?!\/\/)|^\s/i;
const MAX_MESSAGE = 5_000;
const MAX_SUBJECT = 200;

/** A commit message as an agent wrote it, without marks, signatures and orders to the forge. */
export function commitText(message: string): string {
  const lines = withoutOrders(terminalText(message.slice(0, MAX_MESSAGE)))
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => !MARK.test(line.trim()));
  const [subject = "", ...body] = lines.join("\n").trim().split("\n");
  const text = [subject.slice(0, MAX_SUBJECT), ...body].join("\n").replaceAll(/\n{3,}/g, "\n\n");
  return withoutTrailers(withoutOrders(text).trim());
}

/** What stands in the last paragraph as `Token: value` is an order to whoever reads trailers; those are the project's. */
function withoutTrailers(message: string): string {
  const paragraphs = message.split(/\n\s*\n/);
  while (paragraphs.length > 1 && isTrailers(paragraphs.at(-1) ?? "")) paragraphs.pop();
  return paragraphs.join("\n\n");
}

function isTrailers(paragraph: string): boolean {
  return paragraph.split("\n").every((line) => TRAILER.test(line));
}
