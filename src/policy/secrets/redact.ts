import { createSecretMatcher, type Span } from "./match-secrets.ts";
import type { Secret } from "./secret-forms.ts";

export interface Redactor {
  /** Replaces known secrets by `[redacted: NAME]`, in all known encodings. */
  redact(text: string): string;
  /** Redacts every text in a JSON value, including keys. Values without secrets are returned unchanged, not copied. */
  redactValue<T>(value: T): T;
  /** Returns the positions of secrets. */
  find(text: string): readonly Span[];
}

export function createRedactor(secrets: readonly Secret[]): Redactor {
  const { find } = createSecretMatcher(secrets, "text");
  const redact = (text: string): string => replaceSpans(text, find(text));
  return {
    find,
    redact,
    // Only texts change, and each into a text.
    redactValue: <T>(value: T): T => mapTexts(value, redact, 0) as T,
  };
}

export function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, name } of spans) {
    parts.push(text.slice(at, start), placeholder(name));
    at = end;
  }
  return parts.join("") + text.slice(at);
}

export function placeholder(name: string): string {
  return `[redacted: ${name}]`;
}

/** Legitimate values are never nested this deeply; an attacker might try to overflow the stack. */
const MAX_DEPTH = 500;

function mapTexts(value: unknown, change: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return "[nested too deeply]";
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const changed = items.map((item) => mapTexts(item, change, depth + 1));
    return changed.some((item, index) => item !== items[index]) ? changed : value;
  }
  const entries = Object.entries(value);
  const changed = entries.map(([key, item]) => [change(key), mapTexts(item, change, depth + 1)] as const);
  const same = changed.every(([key, item], index) => key === entries[index]?.[0] && item === entries[index]?.[1]);
  return same ? value : Object.fromEntries(changed);
}
