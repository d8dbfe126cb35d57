import { describe, expect, it } from "vitest";
import type { EventJson, RunJson } from "../../../../../src/http/client/client.ts";
import { buildTimeline, groupByDay } from "./build-timeline.ts";

let last = 0;
const event = (type: EventJson["type"], more: Partial<EventJson> = {}): EventJson => ({
  id: (last += 1),
  at: "2026-11-16T20:40:00.000Z",
  task: "task_1",
  run: null,
  type,
  level: "info",
  actor: { kind: "system", name: "nightshift" },
  summary: "",
  data: {},
  ...more,
});
const run = (id: string, more: Partial<RunJson> = {}): RunJson =>
  ({ id, step: "agent", finished_at: "2026-11-16T20:50:00.000Z", ...more }) as RunJson; // only what is used
const kinds = (entries: ReturnType<typeof buildTimeline>): readonly string[] =>
  entries.map((entry) => (entry.kind === "event" ? entry.event.type : `${entry.kind} ${entry.id}`));

describe("buildTimeline()", () => {
  it("shows each run once, at its start, and no event that repeats it", () => {
    const events = [
      event("task.submitted"),
      event("run.started", { run: "run_1" }),
      event("artifact.added", { run: "run_1", level: "debug" }),
      event("run.interrupted", { run: "run_1", level: "warning" }),
      event("run.started", { run: "run_1" }),
      event("run.ended", { run: "run_1" }),
      event("task.state"),
      event("task.ended"),
    ];
    expect(kinds(buildTimeline({ runs: [run("run_1")], waiting_for: null }, events))).toEqual([
      "task.submitted",
      "run run_1",
      "run.interrupted",
      "task.ended",
    ]);
  });

  it("says last that the task waits for a person, and leaves out earlier waiting", () => {
    const events = [event("task.waiting"), event("task.decided"), event("task.waiting")];
    const waiting = { kind: "review", since: "2026-11-16T21:00:00.000Z" } as const;
    expect(kinds(buildTimeline({ runs: [], waiting_for: waiting }, events))).toEqual([
      "task.decided",
      "waiting waiting",
    ]);
  });

  it("leaves out what only programs need, and the set-up of a workspace unless it failed", () => {
    const events = [
      event("run.note", { level: "debug" }),
      event("workspace.setup"),
      event("workspace.setup", { level: "warning" }),
    ];
    expect(buildTimeline({ runs: [], waiting_for: null }, events)).toHaveLength(1);
  });

  it("names the check that runs now", () => {
    const checks = run("run_2", { step: "checks", finished_at: null });
    const started = [
      event("run.started", { run: "run_2" }),
      event("check.started", { run: "run_2", data: { name: "build" } }),
      event("check.ended", { run: "run_2", data: { name: "build" } }),
    ];
    const find = (events: readonly EventJson[]) => buildTimeline({ runs: [checks], waiting_for: null }, events)[0];
    expect(find(started)).toMatchObject({ check: null });
    expect(find([...started, event("check.started", { run: "run_2", data: { name: "test" } })])).toMatchObject({
      check: "test",
    });
  });
});

const at = (iso: string) => ({ kind: "waiting", id: iso, at: iso }) as const;

it("groupByDay() starts a group at each new day", () => {
  const days = groupByDay([
    at("2026-11-16T10:00:00.000Z"),
    at("2026-11-16T11:00:00.000Z"),
    at("2026-11-18T10:00:00.000Z"),
  ]);
  expect(days.map(({ entries }) => entries.length)).toEqual([2, 1]);
  expect(days[0]?.label).toMatch(/^Monday 16 November/);
});
