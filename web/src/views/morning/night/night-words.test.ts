import { expect, test } from "vitest";
import { describeNight } from "./night-words.ts";

const span = { run: "r", task: "t", project: "shop", step: "agent", status: "succeeded" } as const;
const UTC = "UTC";

test("night line in words: when it ran, what stopped it, and what still runs", () => {
  const spans = [
    { ...span, from: "2026-11-16T20:41:00Z", to: "2026-11-16T21:00:00Z" },
    { ...span, task: "u", project: "blog", from: "2026-11-17T04:10:00Z", to: "2026-11-17T05:31:00Z" },
    { ...span, from: "2026-11-17T05:40:00Z", to: null },
  ];
  const gaps = [
    {
      kind: "agent",
      agent: "codex",
      reason: "codex has used up its quota.",
      from: "2026-11-16T23:41:00Z",
      to: "2026-11-17T04:10:00Z",
    },
    { kind: "daemon", agent: null, reason: "daemon stopped (pid 7)", from: "2026-11-17T05:00:00Z", to: null },
  ] as const;
  expect(describeNight({ spans, gaps: [...gaps], time_zone: UTC })).toBe(
    "Between 20:41 and 05:31, agents and checks ran for 2 tasks in 2 projects. codex has used up its quota, 23:41 to 04:10. Nightshift was stopped, since 05:00. 1 run is still going.",
  );
});

test("night line in words: a night without work, and one that has only begun", () => {
  expect(describeNight({ spans: [], gaps: [], time_zone: UTC })).toBe("Nothing ran.");
  const spans = [{ ...span, from: "2026-11-16T20:41:00Z", to: null }];
  expect(describeNight({ spans, gaps: [], time_zone: "Europe/Paris" })).toBe(
    "Since 21:41, agents and checks ran for 1 task in 1 project. 1 run is still going.",
  );
});
