import { z } from "zod";
import { CATEGORIES, WEEKDAYS } from "../../core/nightly/category.ts";
import { ROLES, type Role } from "../../core/task/role.ts";
import { argv, environmentName, text } from "../../core/settings/values.ts";
import {
  branchTemplate,
  commandRules,
  count,
  cron,
  duration,
  innerPath,
  name,
  networkRules,
  roles,
  usd,
  words,
} from "./schema-values.ts";

/** The sections of a configuration file as people write them; descriptions are what editors and docs show. */
export const role = z.strictObject({
  agent: name.optional().describe("Agent for this role; default: `agent`."),
  model: text.optional().describe("Full model id for this role."),
  timeout: duration.optional().describe("Longest time of one run; default by role."),
  idle_timeout: duration.optional().describe("A run that prints nothing for this long is ended; default `10m`."),
  max_turns: z.int().min(1).max(100_000).optional().describe("Most turns of one run; default by role."),
  max_budget_usd: usd.optional().describe("Most money one run of this role may spend."),
  tools: words.optional().describe("Tools of the agent CLI; default by role."),
  commands: commandRules.optional().describe("Programs this role may call; default: `sandbox.commands`."),
  prompt: text.optional().describe("File that replaces the role's whole prompt, relative to this file."),
  append: text.optional().describe("Text added to the role's prompt."),
});

// Every role by name rather than a record, so that a misspelt one is found and editors can complete it.
export const roleSections = z.strictObject(
  Object.fromEntries(ROLES.map((each) => [each, role.optional().describe(`How \`${each}\` is done.`)])) as Record<
    Role,
    z.ZodOptional<typeof role>
  >,
);

export const check = z.strictObject({
  command: text.optional().describe("Shell line, run in a fresh checkout of the change."),
  related: text.optional().describe("Shell line that runs only what `{{files}}` concern, where the runner can tell."),
  severity: z
    .enum(["error", "warning"])
    .optional()
    .describe("`error` fails the change, `warning` is shown; default `error`, for `lint` `warning`."),
  roles: roles.optional().describe("Roles after which it runs; default `implement` and `request_changes`."),
  timeout: duration.optional().describe("Default `2m`."),
  enabled: z.boolean().optional().describe("`false` switches it off; default true."),
});

export const workspace = z.strictObject({
  setup: text.optional().describe("Shell line that prepares a fresh checkout, such as `npm ci`."),
  setup_timeout: duration.optional().describe("Default `10m`."),
  branch: branchTemplate.optional().describe("Name of a task's branch; default `agent/{{slug}}-{{id}}`."),
  rebase: z.boolean().optional().describe("Put the work on top of a newer base before it is published; default true."),
  keep_uncommitted: z
    .boolean()
    .optional()
    .describe("Start from the files of the checkout as they stand; default false."),
  copy: z
    .array(innerPath)
    .max(200)
    .optional()
    .describe("Files of the checkout that git does not have, copied in (`.env.test`)."),
  ports: z.int().min(0).max(1000).optional().describe("How many ports each run gets; default 10."),
});

export const sandboxLists = {
  write: words.optional().describe("More paths that agents may write, relative to this file."),
  read: words.optional().describe("More paths that agents may read, relative to this file."),
  network: networkRules
    .optional()
    .describe("Hosts that agents may reach: `host`, `host:port` or `*.suffix`; the port is 443 where none is named."),
  commands: commandRules
    .optional()
    .describe("Programs that exist in the sandbox; words after the program are a rule for the agent CLI."),
};

export const secret = z.strictObject({ roles: roles.describe("Roles that get it.") });

export const mcpServer = z.strictObject({
  command: argv.describe("Program and arguments of the server."),
  secrets: z.array(environmentName).optional().describe("Environment variables it gets."),
  tools: words.optional().describe("Its tools that agents may call; default: all."),
});

export const budget = z.strictObject({
  run_usd: usd.optional().describe("Most money of one run."),
  task_usd: usd.optional().describe("Most money of one task."),
  night_usd: usd
    .optional()
    .describe("Most money from noon to noon in `time_zone`; in config.yaml the sum over all projects."),
  month_usd: usd.optional().describe("Most money of a month; in config.yaml the sum over all projects."),
  run_tokens: z.int().min(0).optional().describe("Most tokens of one run."),
});

export const prices = z.record(
  text,
  z.strictObject({
    input: usd.describe("USD for a million tokens that go in."),
    output: usd.describe("USD for a million tokens that come out."),
    cache_read: usd.optional().describe("USD for a million tokens read from the cache; default: as `input`."),
    cache_write: usd.optional().describe("USD for a million tokens written to the cache; default: as `input`."),
  }),
);

export const limits = z.strictObject({
  concurrent_runs: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("Runs at the same time; default 2; in config.yaml over all projects."),
  open_change_requests: count.optional().describe("Open change requests of the night shift in the project; default 3."),
  task_timeout: duration.optional().describe("Longest working time of a task; default `4h`."),
});

const gate = z.enum(["person", "auto"]).optional();
export const gates = z.strictObject({
  plan: gate.describe("Who approves a plan; default `person`."),
  merge: gate.describe("Who merges; default `person`."),
});

const categories = z.array(z.enum(CATEGORIES)).optional();

export const improve = z.strictObject({
  schedule: cron.optional().describe("When the nightly improvement runs, as five cron fields in `time_zone`."),
  categories: z
    .strictObject(
      Object.fromEntries(WEEKDAYS.map((day) => [day, categories.describe(`What is improved on ${day}.`)])) as Record<
        (typeof WEEKDAYS)[number],
        typeof categories
      >,
    )
    .optional()
    .describe("What is improved on which day."),
  max_diff_lines: z.int().min(1).max(100_000).optional().describe("Largest change; default 100."),
  avoid_recent_commits: count.optional().describe("Files of this many newest commits are left alone; default 10."),
  publish: z
    .enum(["engine", "agent"])
    .optional()
    .describe("Who pushes and opens the change request; `agent` lends it the forge's token; default `engine`."),
  jitter: duration.optional().describe("Runs start up to this much later than scheduled; default `0s`."),
  variables: z.record(name, z.string().max(10_000)).optional().describe("Your own `{{name}}` texts for prompts."),
});

export const schedule = z.strictObject({
  name: name.describe("What it is called."),
  cron: cron.describe("When, as five cron fields in `time_zone`."),
  pipeline: name.describe("Pipeline of the task that is made."),
  title: text.describe("Title of the task."),
  description: text.optional().describe("Description of the task."),
  auto_approve: z.boolean().optional().describe("Its plan needs no person; default false."),
});
