import { expect, test } from "vitest";
import { layoutNight, OTHERS, type NightFacts } from "./night-line.ts";

const NOON = Date.parse("2026-11-16T12:00:00Z");
const at = (time: string): string => {
  const [hours = "0"] = time.split(":");
  return `2026-11-${Number(hours) < 12 ? 17 : 16}T${time}:00.000Z`;
};
const ms = (time: string): number => Date.parse(at(time));

function span(from: string, to: string | null, over: Partial<NightFacts["spans"][number]> = {}) {
  const end = to === null ? null : at(to);
  const known = { run: `run ${from}`, task: "task_1", project: "shop", step: "agent", status: "succeeded" } as const;
  return { ...known, from: at(from), to: end, ...over };
}

function night(over: Partial<NightFacts> = {}): NightFacts {
  return { since: NOON, until: ms("11:00"), now: null, spans: [], gaps: [], stops: [], ...over };
}

const hours = ({ from, to }: { from: number; to: number }): string =>
  [from, to].map((time) => new Date(time).toISOString().slice(11, 16)).join(" to ");

test.for([
  [[], "20:00 to 08:00"],
  [[span("21:00", "22:00")], "20:00 to 08:00"],
  [[span("18:20", "22:00")], "18:00 to 08:00"],
  [[span("21:00", "22:00"), span("09:10", "09:20")], "20:00 to 10:00"],
  [[span("14:10", "14:20")], "14:00 to 15:00"],
  [[span("14:12", "14:13"), span("14:14", "14:16")], "14:12 to 14:16"],
  [[span("02:12", "02:13")], "02:12 to 02:13"],
  [[span("14:10", "16:12")], "14:00 to 17:00"],
] as const)("night line: work at %j shows %s", ([spans, shown]) => {
  expect(hours(layoutNight(night({ spans: [...spans] })))).toBe(shown);
});

test("night line: a bar is as long as its run, thin for checks, red for a failed run of an agent", () => {
  const spans = [
    span("20:00", "23:00"),
    span("23:00", "02:00", { step: "checks", status: "failed" }),
    span("02:00", "05:00", { status: "timeout" }),
    span("05:00", null),
  ];
  const { lanes, now, dawn } = layoutNight(
    night({ spans, now: ms("08:00"), stops: [{ task: "task_1", project: "shop", at: ms("21:00") }] }),
  );
  expect(lanes.map(({ name }) => name)).toEqual(["shop"]);
  expect(lanes[0]?.bars.map(({ left, width, look }) => [left, width, look])).toEqual([
    [0, 25, "agent"],
    [25, 25, "engine"],
    [50, 25, "failed"],
    [75, 25, "running"],
  ]);
  expect(lanes[0]?.stops).toEqual([{ task: "task_1", left: 8.33, track: 0 }]);
  expect([now, dawn]).toEqual([100, null]);
});

test("night line: the horizon is the person's from the end of the work on, if something waits", () => {
  const spans = [span("20:00", "02:00")];
  expect(layoutNight(night({ spans })).dawn).toBe(null);
  expect(layoutNight(night({ spans, stops: [{ task: "task_1", project: "shop", at: ms("23:00") }] })).dawn).toBe(50);
});

test("night line: a run before the start of the night and one after its end are cut", () => {
  const early = span("21:00", "22:00", { from: "2026-11-16T08:00:00.000Z" });
  const { lanes, from } = layoutNight(night({ spans: [early] }));
  expect(from).toBe(NOON);
  expect(lanes[0]?.bars[0]).toMatchObject({ left: 0, width: 50 });
});

test("night line: of nine projects, the busiest seven have lanes, and the others share one", () => {
  const spans = Array.from({ length: 9 }, (_, index) =>
    span("21:00", `21:${59 - index * 5}`, { project: `p${index}`, run: `${index}` }),
  );
  const { lanes } = layoutNight(night({ spans }));
  expect(lanes.map(({ name }) => name)).toEqual(["p0", "p1", "p2", "p3", "p4", "p5", "p6", OTHERS]);
  expect(lanes.at(-1)?.bars.map(({ run }) => run)).toEqual(["7", "8"]);
  expect(layoutNight(night({ spans: spans.slice(0, 8) })).lanes.at(-1)?.name).toBe("p7");
});

function gap(from: string, to: string | null, reason: string) {
  return { kind: "agent", agent: "codex", reason, from: at(from), to: to === null ? null : at(to) } as const;
}

test("night line: a gap is cut to the window, and of two that overlap only the longer one is labelled", () => {
  const gaps = [
    gap("12:00", "19:00", "by day"),
    gap("23:00", "02:00", "short"),
    gap("20:00", null, "long"),
    gap("20:00", "20:30", "tiny"),
  ];
  const laidOut = layoutNight(night({ spans: [span("21:00", "22:00")], gaps, now: ms("06:00") })).gaps;
  expect(laidOut).toEqual([
    { left: 25, width: 25, reason: "short", isLabelled: false },
    { left: 0, width: 83.33, reason: "long", isLabelled: true },
    { left: 0, width: 4.17, reason: "tiny", isLabelled: false },
  ]);
});

test("night line: hours have ticks, and every second label is left out on phones", () => {
  const { ticks } = layoutNight(night());
  expect(ticks).toHaveLength(13);
  expect(ticks.filter(({ label }) => label === "always").map(({ left }) => left)).toEqual([0, 33.33, 66.67]);
  expect(ticks.filter(({ label }) => label === "wide").map(({ left }) => left)).toEqual([16.67, 50, 83.33]);
});

test("night line: `now` is drawn only while it is inside the shown hours", () => {
  expect(layoutNight(night({ now: ms("02:00") })).now).toBe(50);
  expect(layoutNight(night({ now: ms("11:00") })).now).toBe(null);
});

test("night line: work at the same time has its own track, and a task stays in its track", () => {
  const spans = [
    span("20:00", "22:00", { run: "a1", task: "a" }),
    span("21:00", "23:00", { run: "b1", task: "b" }),
    span("23:00", "23:30", { run: "b2", task: "b" }),
    span("23:00", "23:30", { run: "c1", task: "c" }),
  ];
  const [lane] = layoutNight(night({ spans, stops: [{ task: "b", project: "shop", at: ms("23:30") }] })).lanes;
  expect(lane?.stops).toMatchObject([{ task: "b", track: 1 }]);
  expect(lane?.bars.map(({ run, track }) => [run, track])).toEqual([
    ["a1", 0],
    ["b1", 1],
    ["b2", 1],
    ["c1", 0],
  ]);
  expect(lane?.tracks).toBe(2);
});

test("night line: more than four runs at the same time share the last track", () => {
  const spans = Array.from({ length: 6 }, (_, index) => span("20:00", "22:00", { run: `${index}`, task: `${index}` }));
  const [lane] = layoutNight(night({ spans })).lanes;
  expect(lane?.bars.map(({ track }) => track)).toEqual([0, 1, 2, 3, 3, 3]);
  expect(lane?.tracks).toBe(4);
});
