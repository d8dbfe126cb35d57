import { afterAll, beforeAll, expect, test } from "vitest";
import { describeTime, exactTime } from "./time.ts";

let zone: string | undefined;
beforeAll(() => {
  zone = process.env["TZ"];
  process.env["TZ"] = "Europe/Paris";
});
afterAll(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

// 13:00 in Paris.
const now = Date.parse("2026-11-16T12:00:00Z");

test.for([
  ["2026-11-16T12:00:00Z", "just now"],
  ["2026-11-16T11:59:01Z", "just now"],
  ["2026-11-16T11:57:00Z", "3 min ago"],
  ["2026-11-16T11:00:01Z", "59 min ago"],
  ["2026-11-16T01:14:00Z", "today 02:14"],
  ["2026-11-15T22:30:00Z", "yesterday 23:30"],
  ["2026-11-12T08:00:00Z", "Thu 12 Nov 09:00"],
  ["2025-10-12T08:00:00Z", "12 Oct 2025 10:00"],
  ["2026-11-16T12:00:30Z", "in 30 s (13:00)"],
  ["2026-11-16T12:12:00Z", "in 12 min (13:12)"],
  ["2026-11-16T16:30:00Z", "in 4 h (17:30)"],
  ["2026-11-17T01:00:00Z", "in 13 h (tomorrow 02:00)"],
  ["2026-11-17T14:00:00Z", "tomorrow 15:00"],
  ["2026-11-20T01:00:00Z", "Fri 20 Nov 02:00"],
  ["2028-01-20T01:00:00Z", "20 Jan 2028 02:00"],
] as const)("time: %s is %s at noon UTC in Paris", ([iso, words]) => {
  expect(describeTime(iso, { now })).toBe(words);
});

test("time: another time zone is named, and decides which day it is", () => {
  expect(describeTime("2026-11-16T04:30:00Z", { now, timeZone: "America/New_York" })).toBe(
    "yesterday 23:30 America/New_York",
  );
  expect(describeTime("2026-11-16T01:14:00Z", { now, timeZone: "Europe/Paris" })).toBe("today 02:14");
});

test("time: the day of a change to summer time is one day", () => {
  const saturday = Date.parse("2026-03-28T12:00:00Z");
  expect(describeTime("2026-03-29T20:00:00Z", { now: saturday })).toBe("tomorrow 22:00");
});

test("time: the exact time is local, and text that is no time stays as it is", () => {
  expect(exactTime("2026-11-16T01:14:05.123Z")).toBe("2026-11-16 02:14:05");
  expect([describeTime("soon"), exactTime("soon")]).toEqual(["soon", "soon"]);
});
