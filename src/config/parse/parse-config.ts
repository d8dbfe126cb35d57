import type { z } from "zod";
import type { SettingsKinds } from "../../core/settings/kinds.ts";
import { ConfigError, type Issue } from "../../core/text/errors.ts";
import { listKeys } from "../schema/list-keys.ts";
import { parseOnce } from "./parse-once.ts";
import { parseYaml, type KeyPath, type ParsedYaml } from "./parse-yaml.ts";
import { checkRules } from "./rules.ts";
import { createSchemas, USER_ONLY_KEYS, type ProjectWritten, type UserWritten } from "../schema/schema.ts";
import { mentionCredentials } from "../../core/text/without-credentials.ts";
import { closest } from "../../core/text/did-you-mean.ts";

// More issues are not useful, and finding the position of each takes time.
const MAX_ISSUES = 50;

/** The settings of a file as written, with their positions. */
export interface ParsedConfig<T> {
  readonly file: string;
  readonly written: T;
  /** Creates an issue at this key of the file. */
  issue(path: KeyPath, message: string): Issue;
}

/** The configuration files, as the agents, forges and notifiers that there are define them. */
export interface ConfigFormat {
  readonly kinds: SettingsKinds;
  readonly schemas: ReturnType<typeof createSchemas>;
  /** Parses `nightshift.yaml`. Throws ConfigError with all problems. */
  parseProject(text: string, file: string): ParsedConfig<ProjectWritten>;
  /** Parses `config.yaml`. Throws ConfigError with all problems. */
  parseUser(text: string, file: string): ParsedConfig<UserWritten>;
}

export function createConfigFormat(kinds: SettingsKinds): ConfigFormat {
  const schemas = createSchemas(kinds);
  const parseWith = <T extends UserWritten>(schema: z.ZodType<T>) =>
    parseOnce((text, file): ParsedConfig<T> => {
      const parsed = parseWritten(schema, text, file);
      const broken = checkRules(parsed.written, kinds);
      if (broken.length > 0)
        throw new ConfigError(sortByPlace(broken.map(({ path, message }) => parsed.issue(path, message))));
      return parsed;
    });
  return { kinds, schemas, parseProject: parseWith(schemas.project), parseUser: parseWith(schemas.user) };
}

/** Parses YAML with a schema. Throws ConfigError with all problems. */
export function parseWritten<T>(schema: z.ZodType<T>, text: string, file: string): ParsedConfig<T> {
  const yaml = parseYaml(text, file);
  if (yaml.issues.length > 0) throw new ConfigError(yaml.issues);
  const value = dropEmptySections(yaml.value);
  const result = schema.safeParse(value);
  if (!result.success) {
    throw new ConfigError(
      sortByPlace(
        result.error.issues.slice(0, MAX_ISSUES).flatMap((issue) => toIssues(issue, { schema, value, yaml, file })),
      ),
    );
  }
  const issue = (path: KeyPath, message: string): Issue => ({ ...place(yaml, file, path, "value"), message });
  return { file, written: result.data, issue };
}

/** A section whose lines are all commented out, such as `checks:`, is empty and not an error. */
function dropEmptySections(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null));
}

interface Source {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly yaml: ParsedYaml;
  readonly file: string;
}

function toIssues(issue: z.core.$ZodIssue, { schema, value, yaml, file }: Source): Issue[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code !== "unrecognized_keys") {
    const of = issue.code === "invalid_key" ? "key" : "value";
    return [{ ...place(yaml, file, path, of), message: describeIssue(issue, valueAt(value, path)) }];
  }
  const known = listKeys(schema, path);
  return issue.keys.slice(0, MAX_ISSUES).map((key) => {
    const at = place(yaml, file, [...path, key], "key");
    const reserved = USER_ONLY_KEYS.includes(at.key);
    return {
      ...at,
      message: reserved
        ? "this key is allowed only in config.yaml; remove it from the project's file"
        : describeUnknownKey(key, known),
    };
  });
}

function place(yaml: ParsedYaml, file: string, path: KeyPath, of: "key" | "value"): Omit<Issue, "message"> {
  return { file, ...yaml.place(path, of), key: path.join(".") };
}

function valueAt(value: unknown, path: KeyPath): unknown {
  // The cast is safe: reading a missing key gives undefined for any value.
  return path.reduce<unknown>(
    (inner, part) => (inner as Record<string, unknown> | null | undefined)?.[String(part)],
    value,
  );
}

function sortByPlace(issues: readonly Issue[]): Issue[] {
  return issues.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

type ZodIssue = z.core.$ZodIssue;

/** Describes what was found and what is allowed. `found` is the value at the issue's path. */
export function describeIssue(issue: ZodIssue, found: unknown): string {
  if (found === undefined && issue.code === "invalid_type") return `is missing; allowed: ${allowed(issue)}`;
  if (issue.code === "invalid_key") {
    return `this name is not valid; allowed: ${issue.issues.map((inner) => inner.message).join(", ")}`;
  }
  return `found ${mentionCredentials(show(found))}; allowed: ${allowed(issue)}`;
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
