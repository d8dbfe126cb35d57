import { expect, test } from "vitest";
import { newEvent, type Event, type EventType } from "../task/event.ts";
import { findGaps, listMissed } from "./gaps.ts";

let id = 0;
function event(type: EventType, at: number, data: Event["data"] = {}): Event {
  return { ...newEvent({ type, at, summary: `${type} at ${at}`, data }), id: ++id };
}

test("gaps: a stopped daemon and a parked agent are gaps of their own, also while both last", () => {
  const codex = { agent: "codex" };
  const gaps = findGaps([
    event("agent.parked", 10, codex),
    event("daemon.stopped", 20),
    event("daemon.started", 30),
    event("agent.parked", 40, codex),
    event("agent.unparked", 50, codex),
    event("agent.parked", 60, { agent: "gemini" }),
  ]);
  expect(gaps).toEqual([
    { kind: "agent", agent: "codex", reason: "agent.parked at 10", from: 10, to: 50 },
    { kind: "daemon", agent: null, reason: "daemon.stopped at 20", from: 20, to: 30 },
    { kind: "agent", agent: "gemini", reason: "agent.parked at 60", from: 60, to: null },
  ]);
});

test("gaps: an agent that was parked before the period says since when", () => {
  expect(findGaps([event("agent.unparked", 50, { agent: "codex", parked_ms: 45 })])).toMatchObject([
    { kind: "agent", agent: "codex", from: 5, to: 50 },
  ]);
  expect(findGaps([event("daemon.started", 50)])).toEqual([]);
});

test("missed: lists only events of schedules, of one project if asked to", () => {
  const events = [
    event("schedule.missed", 1, { project: "shop" }),
    event("daemon.started", 2),
    event("schedule.refused", 3, { project: "blog" }),
  ];
  const [shop, blog] = [
    { at: 1, text: "schedule.missed at 1" },
    { at: 3, text: "schedule.refused at 3" },
  ];
  expect(listMissed(events, null)).toEqual([shop, blog]);
  expect(listMissed(events, "blog")).toEqual([blog]);
});
