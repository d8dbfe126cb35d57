import { WEEKDAYS, type Category, type Weekday } from "../../core/nightly/category.ts";
import type { ImproveSettings, NotifySettings, ScheduleSettings } from "../../core/settings/settings.ts";
import type { NotifierKind } from "../../core/settings/kinds.ts";
import type { WrittenNotify } from "../schema/kind-sections.ts";
import { toMs, capAmount } from "../schema/amounts.ts";
import type { UserWritten } from "../schema/schema.ts";

export const NIGHT_DEFAULTS = { maxDiffLines: 100, avoidRecentCommits: 10 } as const;

type WrittenImprove = NonNullable<UserWritten["improve"]>;

export function resolveImprove(user: WrittenImprove, own: WrittenImprove): ImproveSettings {
  const days = { ...user.categories, ...own.categories };
  return {
    schedule: own.schedule ?? user.schedule ?? null,
    categories: categoriesByDay(days),
    maxDiffLines: capAmount(user.max_diff_lines, own.max_diff_lines) ?? NIGHT_DEFAULTS.maxDiffLines,
    avoidRecentCommits: own.avoid_recent_commits ?? user.avoid_recent_commits ?? NIGHT_DEFAULTS.avoidRecentCommits,
    publish: own.publish ?? user.publish ?? "engine",
    jitterMs: toMs(own.jitter ?? user.jitter) ?? 0,
    variables: { ...user.variables, ...own.variables },
  };
}

function categoriesByDay(days: NonNullable<WrittenImprove["categories"]>): ImproveSettings["categories"] {
  const entries: readonly (readonly [Weekday, readonly Category[]])[] = WEEKDAYS.map((day) => [day, days[day] ?? []]);
  return Object.fromEntries(entries) as Record<Weekday, readonly Category[]>; // one entry for each of WEEKDAYS
}

export function resolveSchedules(written: NonNullable<UserWritten["schedules"]>): readonly ScheduleSettings[] {
  return written.map(({ name, cron, pipeline, title, description, auto_approve }) => ({
    name,
    cron,
    pipeline,
    title,
    description: description ?? title,
    autoApprove: auto_approve ?? false,
  }));
}

export function resolveNotify(written: WrittenNotify, notifiers: readonly NotifierKind[]): NotifySettings {
  const channels = notifiers.flatMap(({ kind }) => {
    const settings = written[kind];
    return settings === undefined ? [] : [[kind, settings] as const];
  });
  return { channels: Object.fromEntries(channels), heartbeat: written.heartbeat ?? null };
}
