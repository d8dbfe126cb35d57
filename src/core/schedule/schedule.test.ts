import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { jitterOf } from "./schedule.ts";

const HOUR = 3_600_000;
const digest = (text: string) => createHash("sha256").update(text).digest("hex");
const schedule = { name: "improve", jitterMs: HOUR };

test("jitter: projects scheduled for the same time are spread, each by a constant delay", () => {
  const names = Array.from({ length: 20 }, (_, index) => `project-${index}`);
  const delays = names.map((project) => jitterOf({ project, schedule, at: 0, next: null }, digest));
  expect(new Set(delays).size).toBe(names.length);
  expect(delays.every((delay) => delay >= 0 && delay < HOUR)).toBe(true);
  expect(jitterOf({ project: "project-0", schedule, at: 0, next: null }, digest)).toBe(delays[0]);
});

test("jitter: no delay goes beyond the next scheduled time", () => {
  const starts = Array.from({ length: 50 }, (_, index) => index * 60_000).map(
    (at) => at + jitterOf({ project: "shop", schedule, at, next: at + 60_000 }, digest),
  );
  expect(starts).toEqual(starts.toSorted((one, other) => one - other));
  expect(starts.every((start, index) => start < (index + 1) * 60_000)).toBe(true);
});

test("jitter: zero means no delay", () => {
  expect(jitterOf({ project: "shop", schedule: { ...schedule, jitterMs: 0 }, at: 7, next: null }, digest)).toBe(0);
});
