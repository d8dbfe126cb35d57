import { expect, it } from "vitest";
import { parseDuration } from "./duration.ts";

it.each([
  ["30s", 30_000],
  ["10m", 600_000],
  ["2h", 7_200_000],
  ["7d", 604_800_000],
])("duration: parses %s", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(["", "0s", "10", "m", "1.5h", "-1s", "8d", "999999999h", " 1s", "1s ", "1m30s", "1S"])(
  "duration: rejects %j",
  (text) => {
    expect(parseDuration(text)).toBeNull();
  },
);
