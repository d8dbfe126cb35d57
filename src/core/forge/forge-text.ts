import { terminalLine, terminalText } from "../text/terminal-text.ts";

/** A zero-width space: it is invisible and breaks forge commands. */
const ZERO_WIDTH_SPACE = "\u200B";

const ACTION = /^([ \t>*+-]*)\/(?=[a-z_])/gim;
const MENTION = /@(?=[\p{L}\p{N}_])/gu;
const REFERENCE = /([#!]|\bGH-)(?=\d)/gi;
const HTML = /<(?=[a-z/!?])/gi;
const IMAGE = /!\[/g;
/** A heading, also in a quote or a list, and the line under a text that makes it a heading. */
const HEADING = /^((?:[ \t>*+-]|\d+[.)])*)(?=#{1,6}(?:\s|$))/gm;
const UNDERLINE = /^([ \t>]*)(?=(?:=+|-+)[ \t]*$)/gm;
const MAX_TEXT = 20_000;

/** Markers that make a forge or CI skip checks. */
const SKIP =
  /\[\s*(?:skip|no)[ _-]*(?:ci|actions?|checks?|builds?)\s*\]|\[\s*(?:ci|actions?|checks?|builds?)[ _-]*skip\s*\]|\*{3}no_ci\*{3}|skip-checks:\s*true/gi;
/** Closing keywords followed by a reference, which would close issues when merged. */
const CLOSING =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)((?:\s*:\s*|\s+)(?:issues?\s*:?\s+)?["'`*_<([]*)([\w./-]*[#!]\d|https?:\/\/|[a-z]\w*-\d)/gi;
/** Issue keys of external trackers. Names of standards have the same form. */
const KEY = /^(?!(?:UTF|UCS|ISO|IEC|IEEE|RFC|CVE|CWE|SHA|AES|RSA|MD|BASE|ES|TLS|HTTP|IP|IPV)-)[A-Z][A-Z0-9_]+-\d$/;

/** Removes commands to the forge. Repeats until nothing changes, because removing one may form another. */
export function removeForgeCommands(text: string): string {
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
 * Prepares an agent's text for a forge's page. Forges interpret text: `/merge` on a line is a command, `@name` notifies
 * someone, `closes #12` closes an issue, and an image reports its viewers to a server. An agent must not trigger any of it,
 * and its text must not look like a section of ours or hide one.
 */
export function forgeText(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n…` : text;
  return breakOpenFences(removeForgeCommands(terminalText(cut)))
    .replaceAll(HEADING, `$1${ZERO_WIDTH_SPACE}`)
    .replaceAll(UNDERLINE, `$1${ZERO_WIDTH_SPACE}`)
    .replaceAll(HTML, "&lt;")
    .replaceAll(IMAGE, `!${ZERO_WIDTH_SPACE}[`)
    .replaceAll(ACTION, `$1${ZERO_WIDTH_SPACE}/`)
    .replaceAll(MENTION, `@${ZERO_WIDTH_SPACE}`)
    .replaceAll(REFERENCE, `$1${ZERO_WIDTH_SPACE}`)
    .trim();
}

const FENCE = /^( *)(`{3,}(?!.*`)|~{3,})/;

/** A code block without an end would swallow the sections after it, so only blocks that end at their own indentation are kept. */
function breakOpenFences(text: string): string {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const [, indent = "", mark = ""] = FENCE.exec(lines[at] ?? "") ?? [];
    if (mark === "") continue;
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((line) => line.startsWith(indent + mark) && /^ *(?:`+|~+)[ \t]*$/.test(line));
    const isInside = end >= 0 && rest.slice(0, end).every((line) => line.trim() === "" || line.startsWith(indent));
    if (isInside) at += end + 1;
    else lines[at] = `${indent}${ZERO_WIDTH_SPACE}${(lines[at] ?? "").trimStart()}`;
  }
  return lines.join("\n");
}

/** Prepares the title of a change request, which becomes the commit subject in a squash merge. */
export function titleText(title: string, maxLength: number): string {
  return removeForgeCommands(terminalLine(title, maxLength)).replaceAll(/\s+/g, " ").trim();
}

const MARK = /^(co-authored-by|signed-off-by|generated[ -](by|with)|assisted-by|reviewed-by|approved-by|🤖)/i;
const TRAILER = /^[a-z0-9-]+\s*:(?!\/\/)|^\s/i;
const MAX_MESSAGE = 5_000;
const MAX_SUBJECT = 200;

/** Prepares an agent's commit message: removes attributions, signatures and commands to the forge. */
export function commitText(message: string): string {
  const lines = removeForgeCommands(terminalText(message.slice(0, MAX_MESSAGE)))
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => !MARK.test(line.trim()));
  const [subject = "", ...body] = lines.join("\n").trim().split("\n");
  const text = [subject.slice(0, MAX_SUBJECT), ...body].join("\n").replaceAll(/\n{3,}/g, "\n\n");
  return removeTrailers(removeForgeCommands(text).trim());
}

/** Removes `Token: value` lines in the last paragraph, because tools read them as trailers, which belong to the project. */
function removeTrailers(message: string): string {
  const paragraphs = message.split(/\n\s*\n/);
  while (paragraphs.length > 1 && isTrailers(paragraphs.at(-1) ?? "")) paragraphs.pop();
  return paragraphs.join("\n\n");
}

function isTrailers(paragraph: string): boolean {
  return paragraph.split("\n").every((line) => TRAILER.test(line));
}
