import { stripVTControlCharacters } from "node:util";
import { lexer, type Token, type Tokens } from "marked";
import { terminalText } from "../../../core/text/terminal-text.ts";
import { indentText, textWidth, wrapLines } from "./fit-text.ts";
import { paint, type Screen } from "./style.ts";

/** Some texts take the parser quadratic time. Up to this length, the worst ones take half a second. */
const MAX_LENGTH = 20_000;

/** A link whose text is its address, such as `[src/a.ts](src/a.ts)`. It is shown once. */
const REPEATED_ADDRESS = /\[([^\]\n]+)\]\(\1\)/g;

/**
 * Renders an agent's Markdown for a terminal. Without colours, and wherever rendering would leave out a letter or a digit,
 * the text stays as it is: people decide by reading it, and the next agent gets the source.
 */
export function renderMarkdown(screen: Screen, untrusted: string, indent: string): string {
  const source = terminalText(untrusted).trim();
  const plain = indentText(screen, source, indent);
  if (!screen.color || source.length > MAX_LENGTH) return plain;
  const rendered = tryRender(screen, source, indent);
  return rendered !== null && lettersOf(rendered) === lettersOf(source.replace(REPEATED_ADDRESS, "$1"))
    ? rendered
    : plain;
}

/** Null for text that is nested too deeply for the parser. */
function tryRender(screen: Screen, source: string, indent: string): string | null {
  try {
    return renderBlocks(screen, lexer(source), indent);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function lettersOf(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\p{L}\p{N}]/gu, "");
}

function renderBlocks(screen: Screen, tokens: readonly Token[], indent: string, gap = "\n\n"): string {
  return tokens
    .filter(({ type }) => type !== "space")
    .map((token) => renderBlock(screen, token as Tokens.Generic, indent))
    .join(gap);
}

function renderBlock(screen: Screen, token: Tokens.Generic, indent: string): string {
  switch (token.type) {
    case "heading":
      return indentText(screen, paint(screen, "bold", renderInline(screen, token.tokens)), indent);
    case "paragraph":
    case "text":
      return indentText(screen, renderInline(screen, token.tokens ?? [token]), indent);
    case "code":
      return renderCode(screen, token as Tokens.Code, indent);
    case "list":
      return renderList(screen, token as Tokens.List, indent);
    case "blockquote":
      return renderBlocks(screen, token.tokens ?? [], `${indent}${paint(screen, "gray", "> ")}`);
    default:
      return indentText(screen, token.raw.trimEnd(), indent);
  }
}

function renderCode(screen: Screen, { lang = "", text }: Tokens.Code, indent: string): string {
  const code = wrapLines(screen, text, textWidth(indent) + 2).map(
    (line) => `${indent}  ${paint(screen, "cyan", line)}`,
  );
  return [...(lang === "" ? [] : [indentText(screen, paint(screen, "gray", lang), indent)]), ...code].join("\n");
}

function renderList(screen: Screen, { items, loose }: Tokens.List, indent: string): string {
  const gap = loose ? "\n\n" : "\n";
  return items
    .map((item) => {
      const [box, ...others] = item.tokens;
      const isTask = box?.type === "checkbox";
      const marker = `${/^\s*(\d+[.)])/.exec(item.raw)?.[1] ?? "•"} ${isTask ? `${box.raw.trim()} ` : ""}`;
      const hang = `${indent}${" ".repeat(marker.length)}`;
      return `${indent}${marker}${renderBlocks(screen, isTask ? others : item.tokens, hang, gap).slice(hang.length)}`;
    })
    .join(gap);
}

function renderInline(screen: Screen, tokens: readonly Token[] = []): string {
  return tokens.reduce((before, token) => before + renderSpan(screen, token as Tokens.Generic, before), "");
}

function renderSpan(screen: Screen, token: Tokens.Generic, before: string): string {
  const inner = (): string => renderInline(screen, token.tokens);
  switch (token.type) {
    case "text":
      return token.tokens === undefined ? (token["text"] as string) : inner();
    case "strong":
    case "em":
      if (!isEmphasis(token, before)) return token.raw;
      return paint(screen, token.type === "strong" ? "bold" : "italic", inner());
    case "codespan":
      return paint(screen, "cyan", token["text"] as string);
    case "br":
      return "\n";
    case "link":
      return renderLink(screen, token as Tokens.Link);
    default:
      return token.raw;
  }
}

/** In `src/*.ts and test/*.ts`, the stars belong to the text, although Markdown takes them for emphasis. */
function isEmphasis({ text }: Tokens.Generic, before: string): boolean {
  return (
    /^[\p{L}\p{N}`"'(].*[\p{L}\p{N}`"').,:;!?]$|^[\p{L}\p{N}]$/su.test(String(text)) && !/[\p{L}\p{N}]$/u.test(before)
  );
}

/** The address is always visible. */
function renderLink(screen: Screen, { raw, href, text, title, tokens }: Tokens.Link): string {
  if (title != null || !raw.startsWith("[") || !raw.endsWith(")")) return raw;
  return href === text ? href : `${renderInline(screen, tokens)} (${href})`;
}
