import type { Report, ReportedTask } from "../../core/report/report.ts";
import { SECTIONS, type Section } from "../../core/report/sections.ts";
import type { WaitingFor } from "../../core/task/task.ts";
import type { ReportedTaskJson, ReportJson } from "../contract/report.ts";
import { iso, isoOrNull, type ShortIds } from "./views.ts";

type Views = Pick<ReportJson, "money" | "time_zone"> & { readonly previousUsd: number | null };

export function viewReport(report: Report, shortIds: ShortIds, { money, time_zone, previousUsd }: Views): ReportJson {
  const { night, since, until, verdict, problems, missed, spans, gaps, previous } = report;
  return {
    night,
    since: iso(since),
    until: iso(until),
    time_zone,
    verdict: { ...verdict },
    problems: problems.map((problem) => ({ ...problem })),
    sections: viewSections(report, shortIds),
    missed: missed.map(({ at, text }) => ({ at: iso(at), text })),
    spans: spans.map(({ from, to, ...span }) => ({ ...span, from: iso(from), to: isoOrNull(to) })),
    gaps: gaps.map(({ from, to, ...gap }) => ({ ...gap, from: iso(from), to: isoOrNull(to) })),
    money,
    previous: {
      since: iso(previous.since),
      until: iso(previous.until),
      succeeded: previous.succeeded,
      failed: previous.failed,
      cost_usd: previousUsd,
    },
  };
}

/** Ids of the tasks that the response contains. */
export function listedTaskIds({ sections }: Report): readonly string[] {
  return SECTIONS.flatMap((section) => sections[section].tasks.map(({ task }) => task.id));
}

function viewSections({ sections }: Report, shortIds: ShortIds): ReportJson["sections"] {
  const entries = SECTIONS.map((section) => {
    const { total, tasks } = sections[section];
    return [section, { total, tasks: tasks.map((each) => viewReportedTask(each, shortIds)) }];
  });
  // The cast is safe: every section is a key.
  return Object.fromEntries(entries) as Record<Section, ReportJson["sections"][Section]>;
}

function viewReportedTask(
  { task, about, cost, changeRequest, change }: ReportedTask,
  shortIds: ShortIds,
): ReportedTaskJson {
  const { id, title, project, pipeline, status, state, branch, waitingFor, queuedFor, finishedAt } = task;
  const shortId = shortIds.get(id) ?? id;
  return {
    id,
    short_id: shortId,
    title,
    project,
    pipeline,
    status,
    state,
    outcome: about.outcome,
    category: about.category,
    reason: about.reason ?? queuedFor?.reason ?? queuedFor?.kind ?? null,
    waiting_for: about.waitingFor,
    waiting_since: isoOrNull(waitingFor?.since ?? null),
    deadline: isoOrNull(firstDeadline(waitingFor)),
    branch,
    change_request:
      changeRequest === null
        ? null
        : { number: changeRequest.number, url: changeRequest.url, state: changeRequest.state },
    change: change === null ? null : viewChange(change),
    cost_usd: cost.usd,
    unknown_cost: cost.unknownRuns,
    duration_ms: about.durationMs,
    finished_at: isoOrNull(finishedAt),
    next: about.next.map((command) => command.replaceAll(id, shortId)),
  };
}

function viewChange({ files, risk, readingMinutes, proof }: NonNullable<ReportedTask["change"]>) {
  const sum = (of: (file: (typeof files)[number]) => number): number => files.reduce((all, file) => all + of(file), 0);
  return {
    files: files.length,
    insertions: sum(({ insertions }) => insertions),
    deletions: sum(({ deletions }) => deletions),
    risk: { level: risk.level, reasons: [...risk.reasons] },
    reading_minutes: readingMinutes,
    proof,
  };
}

function firstDeadline(waitingFor: WaitingFor | null): number | null {
  if (waitingFor?.kind !== "answers") return null;
  const deadlines = waitingFor.questions.flatMap(({ deadline }) => deadline ?? []);
  return deadlines.length === 0 ? null : Math.min(...deadlines);
}
