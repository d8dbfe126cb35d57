import { expect, it } from "vitest";
import { createCalendar } from "../schedule/calendar.ts";
import type { ChangeFacts, TaskFacts } from "./facts.ts";
import { summarizeNights } from "./nights.ts";

const calendar = createCalendar("UTC");
const where = { project: "shop", pipeline: "improve" };

function ended(at: string, status: TaskFacts["status"]): TaskFacts {
  return { id: at, ...where, status, finishedAt: Date.parse(at) };
}

function published(at: string, state: ChangeFacts["state"]): ChangeFacts {
  return { task: at, ...where, state, publishedAt: Date.parse(at) };
}

it("nights: each has one result, the one that needs a person most, and idle nights are listed too", () => {
  const nights = ["2026-11-10", "2026-11-11", "2026-11-12", "2026-11-13", "2026-11-14", "2026-11-15"];
  const tasks = [
    ended("2026-11-11T02:00:00Z", "succeeded"),
    ended("2026-11-11T12:00:00Z", "failed"),
    ended("2026-11-13T03:00:00Z", "succeeded"),
    ended("2026-11-14T03:00:00Z", "failed"),
  ];
  const changes = [
    published("2026-11-11T03:00:00Z", "merged"),
    published("2026-11-11T11:59:59Z", "closed"),
    published("2026-11-14T03:00:00Z", "open"),
    published("2026-11-15T03:00:00Z", "closed"),
  ];
  const found = summarizeNights({ tasks, changes }, nights, calendar);
  expect(found.map(({ night, result }) => `${night.slice(-2)} ${result}`)).toEqual([
    "10 merged",
    "11 failed",
    "12 unchanged",
    "13 open",
    "14 closed",
    "15 idle",
  ]);
  expect(found[0]).toMatchObject({ tasks: { ended: 1 }, changes: { published: 2, merged: 1, closed: 1, open: 0 } });
});
