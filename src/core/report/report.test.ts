import { expect, test } from "vitest";
import { currentNight, nightFrom, periodBefore } from "./report-period.ts";
import { compareChanges, sectionOf, SECTIONS, type Section, type SectionFacts } from "./sections.ts";
import { judgeNight } from "./verdict.ts";

const PARIS = "Europe/Paris";
const at = (text: string): number => Date.parse(`2026-11-${text}:00+01:00`);

test.for([
  ["17T18:00", "17T12:00"],
  ["17T23:30", "17T12:00"],
  ["18T07:00", "17T12:00"],
  ["18T12:30", "17T12:00"],
  ["18T17:59", "17T12:00"],
  ["18T18:00", "18T12:00"],
] as const)("report period: at %s the night began at %s", ([now, since]) => {
  expect(currentNight(at(now), PARIS)).toEqual({ since: at(since), until: at(now) + 1 });
});

test("report period: an earlier night is complete, the current one ends now, a later one is empty", () => {
  expect(nightFrom("2026-11-16", at("18T09:00"), PARIS)).toEqual({ since: at("16T12:00"), until: at("17T12:00") });
  expect(nightFrom("2026-11-17", at("18T09:00"), PARIS)).toEqual({ since: at("17T12:00"), until: at("18T09:00") + 1 });
  expect(nightFrom("2026-11-19", at("18T09:00"), PARIS)).toEqual({ since: at("19T12:00"), until: at("19T12:00") });
});

test("report period: a night is compared with the night before, any other period with the same length before", () => {
  const before = { since: at("16T12:00"), until: at("17T12:00") };
  expect(periodBefore(currentNight(at("18T17:00"), PARIS), PARIS)).toEqual(before);
  expect(periodBefore(nightFrom("2026-11-17", at("20T09:00"), PARIS), PARIS)).toEqual(before);
  expect(periodBefore({ since: 5_000, until: 8_000 }, PARIS)).toEqual({ since: 2_000, until: 5_000 });
});

const MERGE = { kind: "merge", since: 1 } as const;

test.for<[Partial<SectionFacts["task"]>, Partial<SectionFacts>, Section]>([
  [{ status: "waiting", waitingFor: MERGE }, { isPublished: true }, "review"],
  [{ status: "waiting", waitingFor: { kind: "approval", planHash: "h", since: 1 } }, { isPublished: true }, "decide"],
  [{ status: "waiting", waitingFor: { kind: "review", since: 1 } }, {}, "decide"],
  [{ status: "failed" }, { isPublished: true }, "failed"],
  [{ status: "running" }, {}, "running"],
  [{ status: "queued" }, {}, "queued"],
  [{ status: "paused" }, {}, "queued"],
  [{ status: "cancelled" }, {}, "cancelled"],
  [{ status: "succeeded" }, { isPublished: true }, "review"],
  [{ status: "succeeded" }, { isPublished: true, changeRequest: { state: "open" } }, "review"],
  [{ status: "succeeded" }, { isPublished: true, changeRequest: { state: "merged" } }, "merged"],
  [{ status: "succeeded" }, { isPublished: true, changeRequest: { state: "closed" } }, "done"],
  [{ status: "succeeded", outcome: "merged" }, { isPublished: true }, "merged"],
  [{ status: "succeeded" }, { isNight: true }, "skipped"],
  [{ status: "succeeded" }, { isNight: true, isPublished: true }, "review"],
  [{ status: "succeeded" }, {}, "done"],
])("report section of %j, %j: %s", ([task, facts, section]) => {
  const given = { status: "queued", waitingFor: null, outcome: null, ...task } as const;
  expect(sectionOf({ task: given, changeRequest: null, isPublished: false, isNight: false, ...facts })).toBe(section);
});

function change(level: "low" | "medium" | "high", readingMinutes: number) {
  return { risk: { level, reasons: [] }, readingMinutes };
}

test("report: changes with a low risk come first, then the short ones", () => {
  const sorted = [change("high", 1), change("low", 9), change("medium", 2), change("low", 3)].toSorted(compareChanges);
  expect(sorted.map(({ risk, readingMinutes }) => `${risk.level} ${readingMinutes}`)).toEqual([
    "low 3",
    "low 9",
    "medium 2",
    "high 1",
  ]);
});

function counts(some: Partial<Record<Section, number>>): Record<Section, number> {
  const none = Object.fromEntries(SECTIONS.map((section) => [section, 0])) as Record<Section, number>;
  return { ...none, ...some };
}

test.for<[Partial<Record<Section, number>>, string, string, string]>([
  [{}, "quiet", "Nothing was planned and nothing ran.", "No task waits for you."],
  [{ done: 2, skipped: 1 }, "good", "The shift ran to the end.", "No task waits for you."],
  [
    { decide: 1, review: 2, failed: 1 },
    "attention",
    "The shift ran to the end.",
    "1 decision waits for you, 2 changes are ready to review (about 7 min), 1 task failed.",
  ],
  [
    { done: 3, running: 1, queued: 2, decide: 2 },
    "running",
    "The shift is running. 3 of 8 tasks are done.",
    "2 decisions wait for you.",
  ],
])("verdict of %j is %s", ([some, level, fact, consequence]) => {
  expect(judgeNight({ counts: counts(some), readingMinutes: 7, problems: [] })).toEqual({ level, fact, consequence });
});

test("verdict: a problem that stops work comes before everything else", () => {
  const problems = ["codex needs a login: the key was rejected"];
  expect(judgeNight({ counts: counts({ queued: 3 }), readingMinutes: 0, problems })).toEqual({
    level: "bad",
    fact: "Part of the work is stopped: codex needs a login: the key was rejected",
    consequence: "No task waits for you.",
  });
});
