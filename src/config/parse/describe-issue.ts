import type { z } from "zod";
import { closest } from "../../core/text/did-you-mean.ts";

type ZodIssue = z.core.$ZodIssue;

/** Describes what was found and what is allowed. `found` is the value at the issue's path. */
export function describeIssue(issue: ZodIssue, found: unknown): string {
  if (found === undefined && issue.code === "invalid_type") return `is missing; allowed: ${allowed(issue)}`;
  if (issue.code === "invalid_key") {
    return `this name is not valid; allowed: ${issue.issues.map((inner) => inner.message).join(", ")}`;
  }
  return `found ${show(found)}; allowed: ${allowed(issue)}`;
}

export function describeUnknownKey(key: string, known: readonly string[]): string {
  const meant = closest(key, known);
  const hint = meant === null ? "" : ` did you mean \`${meant}\`?`;
  return `unknown key \`${key}\`;${hint} allowed: ${known.join(", ")}`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list, such as `[one, two]`",
  object: "keys and values",
  record: "names and values",
};

function allowed(issue: ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return EXPECTED[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values.map((value) => `\`${String(value)}\``).join(", ");
    case "too_small":
      return `at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `at most ${issue.maximum}${unitOf(issue.origin)}`;
    default:
      // The messages of our own rules already say what is allowed.
      return issue.message;
  }
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " entries" : "";
}

/** Formats the value as one short line. It may be long or a nested structure. */
function show(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "keys and values";
  const line = JSON.stringify(value);
  return `\`${line.length > 60 ? `${line.slice(0, 57)}…` : line}\``;
}
