import { randomUUID } from "node:crypto";
import type { Category } from "../../core/nightly/category.ts";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import { escapedLine } from "../../core/text/terminal-text.ts";
import type { ImprovePreviewJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { findProjectName } from "../project/find-project.ts";
import { describeUnseenWork } from "../project/unseen-work.ts";
import { warnAboutUntrustedChanges } from "../project/warn-untrusted-changes.ts";
import { indentText } from "../print/terminal/fit-text.ts";
import { paint } from "../print/terminal/style.ts";
import { table, type Column } from "../print/terminal/table.ts";
import { duration, plural } from "../print/terminal/words.ts";
import { reportTask } from "../wait/wait-for-task.ts";

export interface ImproveOptions {
  readonly category?: Category;
  readonly only?: boolean;
  readonly dryRun?: boolean;
  readonly prompts?: boolean;
  readonly withoutChecks?: boolean;
  readonly wait?: boolean;
}

export async function improve(context: CliContext, options: ImproveOptions): Promise<void> {
  const client = await connect(context);
  const project = await findProjectName(context, client);
  await warnAboutUntrustedChanges(context, client, project, options.dryRun);
  const wanted = { project, category: options.category ?? null, only: options.only ?? false };
  if (options.dryRun === true) {
    const preview = await client.call("POST /improve/plan", { body: wanted });
    return printResult(context, preview, () => printPreview(context, preview, options.prompts ?? false));
  }
  const unseenWork = describeUnseenWork(context, client, project);
  const { pipeline, title, description } = NIGHT_WORK;
  const task = await client.call("POST /tasks", {
    idempotencyKey: randomUUID(),
    body: { ...wanted, pipeline, title, description, without_checks: options.withoutChecks ?? false },
  });
  context.progress(await unseenWork);
  await reportTask(context, client, task, { wait: options.wait, since: null });
}

const AGENT_COLUMNS: readonly Column[] = [
  { heading: "ROLE" },
  { heading: "AGENT", min: 8 },
  { heading: "MODEL", min: 10, drop: 1 },
  { heading: "TIME", align: "right", drop: 3 },
  { heading: "TURNS", align: "right", drop: 2 },
  { heading: "BUDGET", align: "right", drop: 4 },
  { heading: "FILES" },
  { heading: "RUNS CODE" },
  { heading: "NETWORK", min: 12 },
];

/** Formats the preview of a nightly improvement (`improve --dry-run`). */
function printPreview(context: CliContext, preview: ImprovePreviewJson, withPrompts: boolean): string {
  const { project, categories, runs, checks, limits } = preview;
  const head = (text: string): string => `\n${paint(context, "bold", text)}\n`;
  const line = (text: string): string => `${indentText(context, text, "", "  ")}\n`;
  if (categories.length === 0)
    return line(`${project}: no category is scheduled for today. Choose one with --category.`);
  return [
    line(`${project}: would try ${categories.join(", then ")}. Nothing was started.`),
    head("Agents"),
    table(context, AGENT_COLUMNS, runs.map(agentRow)),
    head("Permissions"),
    ...runs.map(({ role, tools, commands, secrets }) =>
      line(
        `${role}: tools ${list(tools)}; commands ${commands === null ? "all commands of the system" : list(commands)}; secrets ${list(secrets)}`,
      ),
    ),
    head("Checks"),
    ...(checks.length === 0
      ? [line("The project has no checks of its own.")]
      : checks.map(({ name, command }) => line(`${name}: ${escapedLine(command)}`))),
    head("Limits"),
    line(
      `at most ${limits.max_diff_lines} changed lines, ${limits.retries} retries per category, ${limits.open_change_requests} open change requests; time limit ${limit(limits.task_timeout_ms)}`,
    ),
    line(describeFiles(context, preview)),
    line(`budget: ${budget(preview.budget)}`),
    head("Publishing"),
    line(describePublishing(preview)),
    ...(withPrompts
      ? runs.map(({ role, prompt }) => `${head(`Prompt of ${role}`)}\n${indentText(context, prompt, "  ")}\n`)
      : ["\nAdd --prompts to see the prompts.\n"]),
  ].join("");
}

function describePublishing({ publish }: ImprovePreviewJson): string {
  const { forge, target, reviewer, by } = publish;
  if (forge === null) return "No forge is configured. The branch night-shift/… is pushed.";
  const review = reviewer === null ? "" : `, reviewer ${escapedLine(reviewer)}`;
  const agent = by === "agent" ? "; an agent pushes the branch and opens it, with access to the forge token" : "";
  return `a change request at ${escapedLine(forge)} into ${escapedLine(target)}${review}${agent}`;
}

function describeFiles(context: CliContext, { files, limits }: ImprovePreviewJson): string {
  const recent = limits.avoid_recent_commits;
  const excluded =
    recent === null
      ? "recently changed files are excluded"
      : recent === 0
        ? "recently changed files are not excluded"
        : `files changed in the last ${plural(recent, "commit")} are excluded`;
  if (files === null) return `files: unknown, because the remote cannot be read; ${excluded}`;
  if (files.problem === null) return `files: ${files.eligible} of ${files.all} may be changed; ${excluded}`;
  return paint(context, "yellow", `The night would end at once, without an agent: ${files.problem}.`);
}

function agentRow(run: ImprovePreviewJson["runs"][number]): readonly string[] {
  return [
    run.role,
    run.agent,
    run.model ?? "default",
    limit(run.timeout_ms),
    run.max_turns === null ? "" : String(run.max_turns),
    run.max_budget_usd === null ? "none" : `$${run.max_budget_usd}`,
    run.workspace,
    run.executes ? "yes" : "no",
    run.network.length === 0 ? "none" : run.network.join(" "),
  ];
}

/** Limits are round numbers, so a trailing "0 s" or "0 min" is omitted. */
function limit(ms: number): string {
  return duration(ms).replace(/ 0 (s|min)$/, "");
}

function budget(amounts: ImprovePreviewJson["budget"]): string {
  const limits = [
    ["per run", amounts.run_usd],
    ["per task", amounts.task_usd],
    ["per night", amounts.night_usd],
    ["per month", amounts.month_usd],
  ].flatMap(([name, usd]) => (usd === null ? [] : [`$${usd} ${name}`]));
  return limits.length === 0 ? 'no limit is set (see "budget" in nightshift.yaml)' : limits.join(", ");
}

function list(words: readonly string[]): string {
  return words.length === 0 ? "none" : words.map(escapedLine).join(", ");
}
