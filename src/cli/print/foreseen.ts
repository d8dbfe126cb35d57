import type { ForeseenJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { paint } from "./style.ts";
import { table } from "./table.ts";
import { duration, plural } from "./words.ts";

/** What a night would do, for somebody who wants to know before it does. */
export function printForeseen(context: CliContext, foreseen: ForeseenJson, withPrompts: boolean): string {
  const { project, categories, runs, checks, publish, limits } = foreseen;
  const head = (text: string): string => `\n${paint(context, "bold", text)}\n`;
  if (categories.length === 0) return `${project}: no category is scheduled for today; --category names one\n`;
  return [
    `${project}: would try ${categories.join(", then ")}; nothing was started\n`,
    head("Agents"),
    table(["ROLE", "AGENT", "MODEL", "TIME", "TURNS", "BUDGET", "FILES", "RUNS CODE", "NETWORK"], runs.map(agentRow)),
    head("Permissions"),
    ...runs.map(
      ({ role, tools, commands, secrets }) =>
        `${role}: tools ${list(tools)}; commands ${commands === null ? "all of the system" : list(commands)}; secrets ${list(secrets)}\n`,
    ),
    head("Checks"),
    checks.length === 0
      ? "none of the project's own\n"
      : checks.map(({ name, command }) => `${name}: ${command}\n`).join(""),
    head("Limits"),
    `at most ${limits.max_diff_lines} changed lines, ${limits.retries} retries a category, ${limits.open_change_requests} open change requests; `,
    `files of the last ${plural(limits.avoid_recent_commits, "commit")} are left alone; all of it within ${limit(limits.task_timeout_ms)}\n`,
    `budget: ${budget(foreseen.budget)}\n`,
    head("Publishing"),
    publish.forge === null
      ? `the branch night-shift/… is pushed; there is no forge\n`
      : `a change request at ${publish.forge} into ${publish.target}${publish.reviewer === null ? "" : `, reviewer ${publish.reviewer}`}${publish.by === "agent" ? "; an agent pushes and opens it and holds the forge's token for that" : ""}\n`,
    ...(withPrompts
      ? runs.map(({ role, prompt }) => `${head(`Prompt of ${role}`)}\n${prompt}`)
      : ["\n--prompts shows the prompts\n"]),
  ].join("");
}

function agentRow(run: ForeseenJson["runs"][number]): readonly string[] {
  return [
    run.role,
    run.agent,
    run.model ?? "its own",
    limit(run.timeout_ms),
    run.max_turns === null ? "" : String(run.max_turns),
    run.max_budget_usd === null ? "none" : `$${run.max_budget_usd}`,
    run.workspace,
    run.executes ? "yes" : "no",
    run.network.length === 0 ? "none" : run.network.join(" "),
  ];
}

/** A limit is a round number: nobody set the seconds. */
function limit(ms: number): string {
  return duration(ms).replace(/ 0 (s|min)$/, "");
}

function budget(amounts: ForeseenJson["budget"]): string {
  const said = [
    ["a run", amounts.run_usd],
    ["a task", amounts.task_usd],
    ["a night", amounts.night_usd],
    ["a month", amounts.month_usd],
  ].flatMap(([name, usd]) => (usd === null ? [] : [`$${usd} ${name}`]));
  return said.length === 0 ? "no limit is set (budget in nightshift.yaml)" : said.join(", ");
}

function list(words: readonly string[]): string {
  return words.length === 0 ? "none" : words.join(", ");
}
