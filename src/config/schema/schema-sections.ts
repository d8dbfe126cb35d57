import { z } from "zod";
import { PROOF_GATES } from "../../core/settings/settings.ts";
import { CATEGORIES, WEEKDAYS } from "../../core/nightly/category.ts";
import { ROLES, type Role } from "../../core/task/role.ts";
import { MCP_PLACES, MCP_TOOL_NAME } from "../../core/settings/mcp.ts";
import { argv, boundedRecord, environmentName, text } from "../../core/settings/values.ts";
import { Cron } from "croner";
import { DURATION_FORM, parseDuration } from "../../core/schedule/duration.ts";
import { parseNetworkRule, parsePrivateHost } from "../../policy/access/network-rule.ts";

/**
 * Value types of configuration keys. parse-config.ts puts the message of a failed rule at the end of
 * "found …; allowed: …".
 */
export const duration = z
  .string()
  .max(10)
  .regex(/^[0-9]{1,9}[smhd]$/, { error: DURATION_FORM, abort: true })
  .refine((value) => parseDuration(value) !== null, DURATION_FORM);

export const usd = z.number().min(0).max(1_000_000);
export const count = z.int().min(0).max(1_000_000);

const NAME_ALLOWED = "up to 40 letters, digits, `.`, `_` or `-`, beginning with a letter or digit";
/** Names are used as file names and event fields, so only plain characters are allowed. */
export const name = z
  .string()
  .max(40, NAME_ALLOWED)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, NAME_ALLOWED);

export const words = z.array(text).max(200);
export const roles = z.array(z.enum(ROLES)).min(1).max(50);

/** Allowed hosts. Each invalid entry is reported separately. */
const hosts = (parse: typeof parseNetworkRule) =>
  z
    .array(
      text.superRefine((value, context) => {
        const rule = parse(value);
        if (typeof rule === "string") context.addIssue({ code: "custom", message: rule });
      }),
    )
    .max(200);
const networkRules = hosts(parseNetworkRule);
export const privateHosts = hosts(parsePrivateHost);

const COMMAND_ALLOWED =
  "a program's name or its absolute path, optionally with words after it, such as `git`, `sbt compile` or `/opt/tool/bin/tool`; no `*`";

/** Programs available in the sandbox: names or absolute paths. Patterns and relative paths would be ambiguous. */
export const commandRules = z.array(z.string().min(1).max(10_000).refine(isCommandRule, COMMAND_ALLOWED)).max(200);

export const report = z.strictObject({
  at: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "a time of the day from `00:00` to `23:59`, such as `07:00`" })
    .max(5)
    .describe("Time of the day."),
});

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

export const server = z
  .strictObject({
    host: text
      .max(255)
      .optional()
      .describe("Address on which the daemon listens; default `127.0.0.1`. Beyond this machine only with `public_url`."),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe("Port of the API and the page; default: the port of the last start, or any free one."),
    public_url: z
      .string()
      .max(2000)
      .refine(isPublicUrl, "an https address without a path, such as `https://night.example.com`")
      .optional()
      .describe("Address of the page behind a TLS proxy that you run. Links in messages and sign-in links start with it."),
  })
  .superRefine(({ host = "127.0.0.1", public_url: publicUrl }, context) => {
    if (LOOPBACK.test(host) || publicUrl !== undefined) return;
    context.addIssue({
      code: "custom",
      path: ["host"],
      message:
        "`127.0.0.1`, `::1` or `localhost`, because others on the network could read tokens without TLS. For other addresses, run a TLS proxy in front and set `server.public_url` to its https address",
    });
  });

export const timeZone = z.string().max(100).refine(isTimeZone, "a time zone of the IANA list, such as `Europe/Paris` or `UTC`");

export const cron = z
  .string()
  .max(200)
  .refine(isCron, "five cron fields (minute hour day month weekday) that match a future date, such as `0 2 * * 1-5`");

/** A file or folder inside the repository, relative to its root. */
export const innerPath = z.string().max(4096).refine(isInnerPath, "a path inside the repository, relative to it, without `..`");

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

function isPublicUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null) return false;
  return url.protocol === "https:" && `${url.origin}/` === url.href;
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

/** Sections of a configuration file. Editors and the docs show the descriptions. */
export const role = z.strictObject({
  agent: name.optional().describe("Agent for this role; default: the top-level `agent`."),
  model: text.optional().describe("Full model ID for this role; default: depends on the agent and role."),
  timeout: duration.optional().describe("Maximum duration of a run; default: depends on the role."),
  idle_timeout: duration.optional().describe("Stop a run that prints nothing for this long; default `10m`."),
  repeat_limit: z
    .int()
    .min(3)
    .max(100_000)
    .optional()
    .describe("Stop a run that makes the same tool call this often with the same result; default 20."),
  edit_timeout: duration.optional().describe("Stop a run that must change files and has not done so for this long; default `20m`."),
  edit_tokens: z
    .int()
    .min(1_000)
    .max(100_000_000)
    .optional()
    .describe("Stop a run that must change files and whose model wrote this many tokens without doing so; default 100000."),
  max_turns: z.int().min(1).max(100_000).optional().describe("Maximum number of turns in a run; default: depends on the role."),
  max_budget_usd: usd.optional().describe("Maximum cost of a run in USD."),
  context_tokens: z
    .int()
    .min(1_000)
    .max(10_000_000)
    .optional()
    .describe("Size of a prompt, in tokens, beyond which its background is shortened, the oldest entries first; default 100000."),
  tools: words.optional().describe("Tools of the agent CLI that this role may use; default: depends on the role."),
  commands: commandRules.optional().describe("Programs that this role may run; default: `sandbox.commands`."),
  prompt: text.optional().describe("File with a prompt that replaces the role's built-in prompt; relative to this file."),
  append: text.optional().describe("Text to append to the role's prompt."),
});

// An object with one key per role instead of a record: it rejects misspelled roles, and editors can complete the names.
export const roleSections = z.strictObject(
  Object.fromEntries(ROLES.map((each) => [each, role.optional().describe(`Settings for the role \`${each}\`.`)])) as Record<
    Role,
    z.ZodOptional<typeof role>
  >,
);

export const check = z.strictObject({
  command: text.optional().describe("Shell command to run in a fresh checkout of the change."),
  related: text.optional().describe("Shell command for the tests of the changed files, which stand for `{{files}}`. It runs before `command`, and its failure is repaired at once; nightly changes run only this."),
  severity: z
    .enum(["error", "warning"])
    .optional()
    .describe("`error` rejects the change, `warning` is only reported; default `error`, but `warning` for `lint`."),
  roles: roles.optional().describe("Run the check after these roles; default `implement` and `request_changes`."),
  timeout: duration.optional().describe("Maximum duration of the check; default `2m`."),
  enabled: z.boolean().optional().describe("Set to `false` to turn the check off; default `true`."),
});

export const workspace = z.strictObject({
  setup: text.optional().describe("Shell command that prepares a fresh checkout, such as `npm ci`."),
  setup_timeout: duration.optional().describe("Maximum duration of `setup`; default `10m`."),
  branch: branchTemplate.optional().describe("Name of the branch for a task; default `agent/{{slug}}-{{id}}`."),
  rebase: z.boolean().optional().describe("Rebase the change onto the latest base before publishing; default `true`."),
  keep_uncommitted: z
    .boolean()
    .refine(
      (value) => !value,
      "`false`, because runs start from commits, never from uncommitted changes of your checkout: commit them, or list untracked files in `workspace.copy`",
    )
    .optional()
    .describe("Only `false`: runs never contain uncommitted changes of your checkout, and unpublished work of agents is always kept."),
  copy: z
    .array(innerPath)
    .max(200)
    .optional()
    .describe("Untracked files to copy from your checkout, such as `.env.test`."),
  link: z
    .array(innerPath)
    .max(200)
    .optional()
    .describe("Untracked files and folders of your checkout that runs can read and not change, such as `fixtures`; only with the sandbox."),
  ports: z.int().min(0).max(1000).optional().describe("Number of ports reserved for each workspace; default 10."),
});

export const sandboxLists = {
  write: words.optional().describe("Additional paths that agents may write to; relative to this file."),
  read: words.optional().describe("Additional paths that agents may read; relative to this file."),
  network: networkRules
    .optional()
    .describe("Hosts that agents may connect to: `host`, `host:port` or `*.suffix`; default port: 443."),
  commands: commandRules
    .optional()
    .describe("Programs available in the sandbox. Words after the program, as in `sbt compile`, become a tool rule for the agent CLI."),
};

export const secret = z.strictObject({ roles: roles.describe("Roles whose agents get the variable.") });

const MCP_NAME_ALLOWED =
  "up to 30 letters, digits and single hyphens or underscores, beginning and ending with a letter or digit; `nightshift` is reserved";

/** Part of the names of its tools, `mcp__<name>__<tool>`, so it cannot contain two underscores. */
export const mcpName = z
  .string()
  .max(30, MCP_NAME_ALLOWED)
  .regex(/^(?!nightshift$)[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/, MCP_NAME_ALLOWED);

const mcpTool = z
  .string()
  .max(64)
  .regex(MCP_TOOL_NAME, "the name of a tool: up to 64 letters, digits, `_` and `-`");

export const mcpServer = z.strictObject({
  command: argv.describe("Program that starts the server, with its arguments."),
  run: z
    .enum(MCP_PLACES)
    .optional()
    .describe(
      "`inside` (default) starts the server in the sandbox of the agent. `outside` starts it on your machine without a sandbox; the agent only reaches the tools of its plan.",
    ),
  environment: boundedRecord(environmentName, z.string().max(10_000), 50)
    .optional()
    .describe("Environment variables of the server. Do not write secrets here."),
  secrets: z
    .array(environmentName)
    .max(50)
    .optional()
    .describe("Environment variables of the daemon that the server gets. With `run: outside`, the agent never sees them."),
  tools: z.array(mcpTool).max(200).optional().describe("Tools of the server that plans may name; default: all."),
});

export const budget = z.strictObject({
  run_usd: usd.optional().describe("Maximum cost of a run in USD."),
  task_usd: usd.optional().describe("Maximum cost of a task in USD."),
  night_usd: usd
    .optional()
    .describe("Maximum cost of a night in USD, from noon to noon in `time_zone`. In config.yaml: for all projects together."),
  month_usd: usd.optional().describe("Maximum cost of a month in USD. In config.yaml: for all projects together."),
  run_tokens: z.int().min(0).optional().describe("Maximum number of tokens in a run."),
});

export const prices = boundedRecord(
  text,
  z.strictObject({
    input: usd.describe("USD per million input tokens."),
    output: usd.describe("USD per million output tokens."),
    cache_read: usd.optional().describe("USD per million tokens read from the cache; default: same as `input`."),
    cache_write: usd.optional().describe("USD per million tokens written to the cache; default: same as `input`."),
  }),
  500,
);

export const limits = z.strictObject({
  concurrent_runs: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("Maximum number of concurrent runs; default 2. In config.yaml: for all projects together."),
  open_change_requests: count.optional().describe("Maximum number of open change requests from nightly improvement in the project; default 3."),
  task_timeout: duration.optional().describe("Maximum working time of a task; default `4h`."),
});

const gate = z.enum(["person", "auto"]).optional();
export const gates = z.strictObject({
  plan: gate.describe("Whether plans need approval from a person or are approved automatically; default `person`."),
  merge: gate.describe("Whether a person merges or changes are merged automatically; default `person`."),
  proof: z
    .enum(PROOF_GATES)
    .optional()
    .describe(
      "What happens to a fix without a test that fails on the base commit: wait for a person (`require`), show it (`show`, the default), or do not look (`off`).",
    ),
});

export const autoApprove = z.strictObject({
  read_only: z.boolean().optional().describe("Plans that write nothing need no person; default `true`; config.yaml only."),
  max_usd: usd
    .optional()
    .describe("Maximum estimated cost of such a plan in USD, and the limit of its run; config.yaml only."),
  directories: words
    .optional()
    .describe("Plans that write only to these directories need no person either; relative to this file; config.yaml only."),
});

const categories = z.array(z.enum(CATEGORIES)).max(20).optional();

export const improve = z.strictObject({
  schedule: cron.optional().describe("When nightly improvement starts, as a five-field cron expression in `time_zone`."),
  categories: z
    .strictObject(
      Object.fromEntries(WEEKDAYS.map((day) => [day, categories.describe(`Categories for ${day}.`)])) as Record<
        (typeof WEEKDAYS)[number],
        typeof categories
      >,
    )
    .optional()
    .describe("Categories of improvements for each weekday."),
  max_diff_lines: z.int().min(1).max(100_000).optional().describe("Maximum number of changed lines; default 100."),
  avoid_recent_commits: count
    .optional()
    .describe("Do not touch files changed in this many recent commits; default 10, at most a tenth of the history."),
  publish: z
    .enum(["engine", "agent"])
    .optional()
    .describe("Who pushes the branch and opens the change request; default `engine`. `agent` gives the agent access to the forge token."),
  jitter: duration.optional().describe("Maximum delay of a start after its scheduled time; default `0s`."),
  variables: boundedRecord(name, z.string().max(10_000), 100).optional().describe("Your own `{{name}}` variables for prompts."),
});

export const schedule = z.strictObject({
  name: name.describe("Name of the schedule."),
  cron: cron.describe("When to create the task, as a five-field cron expression in `time_zone`."),
  pipeline: name.describe("Pipeline of the task."),
  title: text.describe("Title of the task."),
  description: text.optional().describe("Description of the task."),
  auto_approve: z.boolean().optional().describe("Approve the task's plan automatically; default `false`."),
});
