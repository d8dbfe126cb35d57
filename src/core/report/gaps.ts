import type { Event, EventType } from "../task/event.ts";
import type { Gap, Missed } from "./report.ts";

/** The events that say when nothing could run, and what did not start. */
export const REPORT_EVENTS: readonly EventType[] = [
  "daemon.started",
  "daemon.stopped",
  "agent.parked",
  "agent.unparked",
  "schedule.missed",
  "schedule.skipped",
  "schedule.refused",
];

const DAEMON = "daemon";

/** The times in which the daemon was stopped or an agent was parked. */
export function findGaps(events: readonly Event[]): readonly Gap[] {
  const open = new Map<string, Gap>();
  const closed: Gap[] = [];
  for (const { type, at, summary, data } of events) {
    const agent = typeof data["agent"] === "string" ? data["agent"] : null;
    const key = agent === null ? DAEMON : `agent ${agent}`;
    const gap = open.get(key);
    switch (type) {
      case "daemon.stopped":
        open.set(key, { kind: "daemon", agent: null, reason: summary, from: at, to: null });
        break;
      case "agent.parked":
        // A failed probe prolongs the same gap.
        if (gap === undefined) open.set(key, { kind: "agent", agent, reason: summary, from: at, to: null });
        break;
      case "daemon.started":
      case "agent.unparked":
        closed.push(...closeGap(gap ?? earlierGap(agent, at, data), at));
        open.delete(key);
        break;
      default:
    }
  }
  return [...closed, ...open.values()].toSorted((a, b) => a.from - b.from);
}

function closeGap(gap: Gap | null, to: number): readonly Gap[] {
  return gap === null ? [] : [{ ...gap, to }];
}

/** A gap that began before the period. A daemon that starts says nothing about when it ended before. */
function earlierGap(agent: string | null, at: number, { parked_ms: parkedMs }: Event["data"]): Gap | null {
  if (agent === null || typeof parkedMs !== "number") return null;
  return { kind: "agent", agent, reason: `${agent} was parked`, from: at - parkedMs, to: null };
}

/** `project`: null means all. */
export function listMissed(events: readonly Event[], project: string | null): readonly Missed[] {
  return events
    .filter(({ type, data }) => type.startsWith("schedule.") && (project === null || data["project"] === project))
    .map(({ at, summary }) => ({ at, text: summary }));
}
