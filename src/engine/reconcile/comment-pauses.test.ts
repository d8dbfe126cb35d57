import { expect, it } from "vitest";
import { createCommentPauses } from "./comment-pauses.ts";

const URL = "https://forge.example/team/shop/pull/7";
const QUIET = 60_000;

it("comment pauses: ten comments in a minute start work once, a minute after the last one", () => {
  const pauses = createCommentPauses();
  const ids: string[] = [];
  const started: number[] = [];
  for (let at = 0; at <= 180_000; at += 6_000) {
    if (ids.length < 10) ids.push(`c${ids.length}`);
    if (pauses.isOver(URL, ids, QUIET, at)) started.push(at);
    if (started.length > 0) break;
  }
  expect(started).toEqual([54_000 + QUIET]);
});

it("comment pauses: a discussion without a pause starts work after ten pauses", () => {
  const pauses = createCommentPauses();
  const ids: string[] = [];
  for (let at = 0; ; at += 30_000) {
    ids.push(`c${ids.length}`);
    if (!pauses.isOver(URL, ids, QUIET, at)) continue;
    expect(at).toBe(10 * QUIET);
    break;
  }
});

it("comment pauses: the request is due when its pause should be over, and not before or without one", () => {
  const pauses = createCommentPauses();
  expect(pauses.isDue(URL, 0)).toBe(false);
  pauses.isOver(URL, ["c1"], QUIET, 1_000);
  expect([pauses.isDue(URL, 60_999), pauses.isDue(URL, 61_000)]).toEqual([false, true]);
  expect(pauses.isOver(URL, ["c1"], QUIET, 61_000)).toBe(true);
  expect(pauses.isDue(URL, 200_000)).toBe(false);
});
