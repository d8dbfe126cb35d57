import { Cron } from "croner";
import { z } from "zod";
import { DURATION_FORM, parseDuration } from "../../core/schedule/duration.ts";
import { parseNetworkRule } from "../../policy/access/network-rule.ts";
import { text } from "../../core/settings/values.ts";
import { ROLES } from "../../core/task/role.ts";

/**
 * Value types of configuration keys. describe-issue.ts puts the message of a failed rule at the end of
 * "found …; allowed: …".
 */
export const duration = z
  .string()
  .regex(/^[0-9]{1,9}[smhd]$/, { error: DURATION_FORM, abort: true })
  .refine((value) => parseDuration(value) !== null, DURATION_FORM);

export const usd = z.number().min(0).max(1_000_000);
export const count = z.int().min(0).max(1_000_000);

const NAME_ALLOWED = "up to 40 letters, digits, `.`, `_` or `-`, beginning with a letter or digit";
/** Names are used as file names and event fields, so only plain characters are allowed. */
export const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, NAME_ALLOWED);

export const words = z.array(text).max(200);
export const roles = z.array(z.enum(ROLES)).min(1);

/** Allowed hosts. Each invalid entry is reported separately. */
export const networkRules = z
  .array(
    text.superRefine((value, context) => {
      const rule = parseNetworkRule(value);
      if (typeof rule === "string") context.addIssue({ code: "custom", message: rule });
    }),
  )
  .max(200);

const COMMAND_ALLOWED =
  "a program's name or its absolute path, optionally with words after it, such as `git`, `sbt compile` or `/opt/tool/bin/tool`; no `*`";

/** Programs available in the sandbox: names or absolute paths. Patterns and relative paths would be ambiguous. */
export const commandRules = z.array(z.string().min(1).max(10_000).refine(isCommandRule, COMMAND_ALLOWED)).max(200);

export const timeZone = z.string().refine(isTimeZone, "a time zone of the IANA list, such as `Europe/Paris` or `UTC`");

export const cron = z
  .string()
  .refine(isCron, "five cron fields (minute hour day month weekday) that match a future date, such as `0 2 * * 1-5`");

/** A file or folder inside the repository, relative to its root. */
export const innerPath = z.string().refine(isInnerPath, "a path inside the repository, relative to it, without `..`");

export const branchTemplate = z
  .string()
  .max(200)
  .refine(isBranchTemplate, "a branch name with `{{id}}` or `{{slug}}` in it, such as `agent/{{slug}}-{{id}}`");

function isCommandRule(value: string): boolean {
  const [program = ""] = value.split(" ", 1);
  // The length rule reports empty values.
  if (value === "") return true;
  if (/[\p{Cc}\p{Cf}*]/u.test(value)) return false;
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.+@-]*$/u.test(program) || isProgramPath(program);
}

function isProgramPath(program: string): boolean {
  const parts = program.split("/").slice(1);
  return program.startsWith("/") && parts.every((part) => !["", ".", ".."].includes(part));
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function isCron(value: string): boolean {
  try {
    return new Cron(value, { mode: "5-part", paused: true }).nextRun() !== null;
  } catch {
    return false;
  }
}

function isInnerPath(value: string): boolean {
  return value !== "" && !value.startsWith("/") && !value.includes("\0") && !value.split("/").includes("..");
}

function isBranchTemplate(value: string): boolean {
  if (!value.includes("{{id}}") && !value.includes("{{slug}}")) return false;
  const example = value.replaceAll("{{id}}", "x").replaceAll("{{slug}}", "x");
  if (example.includes("..") || example.includes("//") || example.endsWith(".lock")) return false;
  return /^[A-Za-z0-9][A-Za-z0-9._/-]*[A-Za-z0-9]$|^[A-Za-z0-9]$/.test(example);
}
