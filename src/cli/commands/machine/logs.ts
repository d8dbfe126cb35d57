import { findHome, homePaths } from "../../../config/files/paths.ts";
import { UserError } from "../../../core/text/errors.ts";
import { terminalLine, terminalText } from "../../../core/text/terminal-text.ts";
import { createNodeClient } from "../../../http/client/node-client.ts";
import type { CliContext } from "../../context.ts";
import { findDaemon } from "../../daemon/find-daemon.ts";
import { JsonList } from "../../print/terminal/json-list.ts";
import { paint } from "../../print/terminal/style.ts";
import { exactTime } from "../../print/terminal/time.ts";
import { LogReader, type LogEntry } from "../../daemon/read-log.ts";

const POLL_MS = 300;
const DEFAULT_SINCE = "1d";
const MAX_FIELD_LENGTH = 2_000;

export interface LogsOptions {
  readonly follow?: boolean;
  readonly task?: string;
  readonly since?: string;
}

/** Prints the daemon's log. Reads its files, so it needs no daemon. */
export async function logs(context: CliContext, { follow, task, since = DEFAULT_SINCE }: LogsOptions): Promise<void> {
  const { logs: dir } = homePaths(await findHome(context.env));
  const reader = new LogReader(dir, readSince(since, Date.now()));
  const list = new JsonList(context);
  let count = 0;
  for (;;) {
    for (const entry of await selectEntries(context, [...reader.read()], task)) {
      count += 1;
      if (context.json) list.add(entry);
      else context.out(renderEntry(context, entry));
    }
    if (follow !== true) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  list.end();
  if (count === 0) context.progress(`There are no entries since ${since} in ${dir}. "--since 7d" shows more.\n`);
}

/** `2h` or `7d` before now, a day, or a timestamp. */
export function readSince(text: string, now: number): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined) return Math.max(0, now - Number(amount) * (UNIT_MS[unit ?? ""] ?? 0));
  // A day without a time starts at midnight here, not in UTC.
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text);
  if (/^\d{4}-/.test(text) && !Number.isNaN(at)) return at;
  throw new UserError(
    "invalid",
    `--since cannot be "${terminalLine(text, 80)}".`,
    "Use a time before now such as 30m, 2h or 7d, a day such as 2026-11-15, or a timestamp.",
  );
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Many entries name only the run. A running daemon knows which runs belong to the task. */
async function selectEntries(
  context: CliContext,
  entries: readonly LogEntry[],
  wanted: string | undefined,
): Promise<readonly LogEntry[]> {
  if (wanted === undefined || entries.length === 0) return entries;
  const prefix = wanted.startsWith("task_") ? wanted : `task_${wanted}`;
  const runs = await listRuns(context, prefix);
  return entries.filter(
    ({ task, run }) =>
      (typeof task === "string" && task.startsWith(prefix)) || (typeof run === "string" && runs.has(run)),
  );
}

async function listRuns(context: CliContext, task: string): Promise<ReadonlySet<string>> {
  const address = await findDaemon(context);
  if (address === null) return new Set();
  try {
    const { runs } = await createNodeClient(address).call("GET /runs", { query: { task, limit: 1_000 } });
    return new Set(runs.map(({ id }) => id));
  } catch {
    // A deleted task is unknown to the daemon, but the log still has entries about it.
    return new Set();
  }
}

const LEVEL_STYLE = { info: "gray", warn: "yellow", error: "red" } as const;

export function renderEntry(context: Pick<CliContext, "color">, { time, level, msg, ...fields }: LogEntry): string {
  const style = LEVEL_STYLE[level as keyof typeof LEVEL_STYLE] ?? "magenta";
  const when = time === "" ? " ".repeat("2026-11-15 21:00:00".length) : exactTime(time);
  const details = Object.entries(fields).map(([name, value]) => renderField(name, value));
  const inline = details.filter((detail) => !detail.includes("\n"));
  const blocks = details.filter((detail) => detail.includes("\n"));
  const head = [
    paint(context, "gray", when),
    paint(context, style, terminalLine(level, 10).padEnd(5)),
    terminalLine(msg, MAX_FIELD_LENGTH),
    ...inline.map((detail) => paint(context, "gray", detail)),
  ].join(" ");
  return `${[head, ...blocks.map((block) => `      ${block.replaceAll("\n", "\n        ")}`)].join("\n")}\n`;
}

function renderField(name: string, value: unknown): string {
  const text = terminalText(typeof value === "string" ? value : JSON.stringify(value)).trim();
  const shown = text.length > MAX_FIELD_LENGTH ? `${text.slice(0, MAX_FIELD_LENGTH)}…` : text;
  return `${terminalLine(name, 40)}=${shown}`;
}
