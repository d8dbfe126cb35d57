import type { OutcomeFile } from "../../ports/run-files.ts";
import { listFencedBlocks } from "../../core/text/fenced-blocks.ts";
import { terminalText } from "../../core/text/terminal-text.ts";

const MAX_DEPTH = 64;

export function parseOutcome(bytes: Uint8Array): OutcomeFile {
  const text = decode(bytes);
  if (text === null) return invalid("The outcome file is not UTF-8 text. Write a JSON object.");
  if (text.trim() === "") return invalid("The outcome file is empty. Write a JSON object.");
  return text.trimStart().startsWith("{") ? parseObject(text) : parseBlocks(text);
}

/** Models like to wrap JSON in a code fence, with an explanation around it. Two objects would be a guess, so they are refused. */
function parseBlocks(text: string): OutcomeFile {
  const parsed = listFencedBlocks(text).map(parseObject);
  const [first, ...others] = parsed.filter(({ kind }) => kind === "value");
  if (others.length > 0)
    return invalid(`The outcome file contains ${others.length + 1} JSON objects in code fences. Write exactly one.`);
  return first ?? parsed[0] ?? parseObject(text);
}

function parseObject(text: string): OutcomeFile {
  // Check this before parsing, because later recursive code would overflow the stack.
  if (nesting(text) > MAX_DEPTH) return invalid(`The outcome file is nested more than ${MAX_DEPTH} levels deep.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return invalid(
      `The outcome file is not JSON: ${terminalText(error instanceof Error ? error.message : String(error))}.`,
    );
  }
  if (!isObject(value)) return invalid(`The outcome file contains ${describe(value)}. Write a JSON object.`);
  if (hasPrototypeKey(value)) return invalid('The outcome file has a key "__proto__", which is not allowed.');
  return { kind: "value", value };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A single pass without a regular expression, which could take quadratic time on a hostile file. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') inString = !inString;
    else if (inString && character === "\\") at++;
    else if (!inString && (character === "[" || character === "{")) deepest = Math.max(deepest, ++depth);
    else if (!inString && (character === "]" || character === "}")) depth--;
  }
  return deepest;
}

function hasPrototypeKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasPrototypeKey);
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, inner]) => key === "__proto__" || hasPrototypeKey(inner));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function invalid(problem: string): OutcomeFile {
  return { kind: "invalid", problem };
}
