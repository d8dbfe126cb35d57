import { costWords, durationWords } from "../../../core/notices/notice-message.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { MergeOrderJson, ReportedTaskJson, ReportJson } from "../../../http/client/client.ts";
import { describeBudget } from "../costs.ts";
import { plural } from "../terminal/words.ts";
import { describeDay, describeTime } from "../terminal/time.ts";

/** A report as headings and lines, for every format. All texts are on one line and without control characters. */
export interface Outline {
  readonly title: string;
  readonly verdict: ReportJson["verdict"];
  readonly sections: readonly OutlineSection[];
}

export interface OutlineSection {
  readonly name: string;
  readonly items: readonly OutlineItem[];
}

export interface OutlineItem {
  readonly text: string;
  readonly facts: readonly string[];
  /** Commands to type, or addresses. */
  readonly next: readonly string[];
}

type SectionName = keyof ReportJson["sections"];

const HEADINGS: readonly (readonly [SectionName, string])[] = [
  ["decide", "Waiting for you"],
  ["review", "To review"],
  ["failed", "Failed"],
  ["running", "Running"],
  ["queued", "Queued"],
  ["skipped", "Skipped"],
  ["merged", "Merged"],
  ["done", "Done"],
  ["cancelled", "Cancelled"],
];

const MAX_TEXT = 300;
const NO_FACTS: Pick<OutlineItem, "facts" | "next"> = { facts: [], next: [] };

export function outlineReport(report: ReportJson, now: number, orders: readonly MergeOrderJson[] = []): Outline {
  const { problems, sections, missed } = report;
  const all: readonly OutlineSection[] = [
    {
      name: "Fix first",
      items: problems.map(({ text, command, tasks }) => ({
        text: line(text),
        facts: tasks === 0 ? [] : [tasks === 1 ? "1 task waits for this" : `${tasks} tasks wait for this`],
        next: [command],
      })),
    },
    ...HEADINGS.map(([section, name]) => outlineSection(name, sections[section], now)),
    { name: "Merge in this order", items: orders.flatMap(outlineMergeOrder) },
    { name: "Not started in time", items: missed.map(({ text }) => ({ text: line(text), ...NO_FACTS })) },
    { name: "Cost", items: describeMoney(report).map((text) => ({ text, ...NO_FACTS })) },
  ];
  return {
    title: titleOf(report, now),
    verdict: { ...report.verdict, fact: line(report.verdict.fact), consequence: line(report.verdict.consequence) },
    sections: all.filter(({ items }) => items.length > 0),
  };
}

function titleOf({ night, since, until, time_zone: timeZone }: ReportJson, now: number): string {
  const clock = (at: string): string =>
    new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" }).format(Date.parse(at));
  const day = (at: string): string => describeDay(Date.parse(at), now, timeZone);
  const period = `${day(since)} ${clock(since)} to ${day(until)} ${clock(until)}, ${timeZone}`;
  return night === null ? `Report for ${period}` : `Night of ${night} (${period})`;
}

function outlineSection(
  name: string,
  { total, tasks }: ReportJson["sections"][SectionName],
  now: number,
): OutlineSection {
  const rest = total - tasks.length;
  const items = tasks.map((task) => outlineTask(task, now));
  const more = rest === 0 ? [] : [{ text: `and ${rest} more`, facts: [], next: ["nightshift queue"] }];
  return { name: total > 1 ? `${name} (${total})` : name, items: [...items, ...more] };
}

function outlineTask(task: ReportedTaskJson, now: number): OutlineItem {
  const { short_id: id, title, project, pipeline, category, change, deadline } = task;
  return {
    text: line(`${id} ${title}`),
    facts: [
      [project, category ?? pipeline, ...(change === null ? [] : describeChange(change)), ...describeUse(task)].join(
        ", ",
      ),
      ...(task.reason === null ? [] : [task.reason]),
      ...(deadline === null ? [] : [`the default is taken ${describeTime(deadline, { now })}`]),
    ].map(line),
    // The most likely steps. `show` lists all of them.
    next: task.next.slice(0, 2).map(line),
  };
}

const PROOF_WORDS = {
  proven: "fix proven by its tests",
  not_proven: "fix not proven",
  no_test: "fix without a test",
} as const;

function describeChange(change: Change): readonly string[] {
  const { files, insertions, deletions, risk, reading_minutes: minutes, proof } = change;
  const reasons = risk.reasons.length === 0 ? "" : ` (${risk.reasons.join("; ")})`;
  return [
    `${risk.level} risk${reasons}`,
    `about ${minutes} min to read`,
    `${files === 1 ? "1 file" : `${files} files`} +${insertions} −${deletions}`,
    ...(proof === null ? [] : [PROOF_WORDS[proof]]),
  ];
}

type Change = NonNullable<ReportedTaskJson["change"]>;

/** Branches that can be merged in any order are not listed. */
function outlineMergeOrder({ branches, target }: MergeOrderJson): readonly OutlineItem[] {
  const isFree = branches.every((each) => each.conflicts.length === 0 && each.target_conflicts.length === 0);
  if (isFree) return [];
  const nameOf = (task: string): string => branches.find((branch) => branch.task === task)?.short_id ?? task;
  return branches.map(({ short_id: id, title, conflicts, target_conflicts: withTarget }, index) => ({
    text: line(`${index + 1}. ${id} ${title}`),
    facts: [
      ...(withTarget.length === 0 ? [] : [`conflicts with ${target}: ${withTarget.join(", ")}`]),
      ...conflicts.map(({ task, files }) => `conflicts with ${nameOf(task)}: ${files.join(", ")}`),
    ].map(line),
    next: [],
  }));
}

function describeUse(task: ReportedTaskJson): readonly string[] {
  const { status, cost_usd: cost, unknown_cost: unknown, duration_ms: duration } = task;
  const more = cost === null || unknown === 0 ? "" : ` and ${plural(unknown, "run")} of unknown cost`;
  return status === "queued" ? [] : [`${costWords(cost)}${more}`, durationWords(duration)];
}

function describeMoney({ night, money: { costs, budgets }, previous }: ReportJson): readonly string[] {
  const { runs, cost_usd: usd, unknown_cost: unknown } = costs.total;
  const agents = costs.rows.map(({ agent, cost_usd }) => `${agent ?? "unknown"} ${costWords(cost_usd)}`);
  const parts = agents.length > 1 ? ` (${agents.join(", ")})` : "";
  const missing = unknown === 0 ? "" : `, without ${plural(unknown, "run")} of unknown cost`;
  const sum =
    usd === null && runs > 0
      ? `${costWords(usd)} (${plural(runs, "agent run")})`
      : `${costWords(usd)} for ${plural(runs, "agent run")}${parts}${missing}`;
  const before = `${night === null ? "the same time before" : "the night before"}: ${costWords(previous.cost_usd)}, ${previous.succeeded} succeeded, ${previous.failed} failed`;
  return [sum, ...budgets.map(describeBudget), before].map(line);
}

function line(text: string): string {
  return terminalLine(text, MAX_TEXT);
}
