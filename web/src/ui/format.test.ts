import { expect, it } from "vitest";
import { capitalize, formatAge, formatDuration, formatMoney, formatTime, plural } from "./format.ts";

const NOW = Date.UTC(2026, 10, 17, 8);

it("a time of today has no day, one of this week has its weekday, an older one only the day", () => {
  expect(formatTime("2026-11-17T05:14:00Z", NOW, "UTC")).toBe("05:14");
  expect(formatTime("2026-11-16T21:14:00Z", NOW, "UTC")).toBe("Mon 21:14");
  expect(formatTime("2026-11-02T21:14:00Z", NOW, "UTC")).toMatch(/^2 Nov( 2026)?$/);
});

it("the day of a time is the one in the time zone", () => {
  expect(formatTime("2026-11-16T23:30:00Z", NOW, "Europe/Paris")).toBe("00:30");
});

it("durations have at most two units", () => {
  const texts = [900, 40_000, 4 * 60_000, 72 * 60_000, 3_600_000, 50 * 3_600_000].map(formatDuration);
  expect(texts).toEqual(["1 s", "40 s", "4 min", "1 h 12 min", "1 h", "2 d 2 h"]);
});

it("an unknown cost is not zero", () => {
  expect([formatMoney(null), formatMoney(0), formatMoney(14.019)]).toEqual(["unknown", "$0.00", "$14.02"]);
});

it("a count of one is singular", () => {
  expect([plural(1, "task"), plural(1200, "task")]).toEqual(["1 task", "1,200 tasks"]);
});

it("an age has one unit", () => {
  const ages = [0, 12, 61, 47 * 60, 72 * 60].map((minutes) => formatAge(NOW - minutes * 60_000, NOW));
  expect(ages).toEqual(["now", "12 min", "1 h", "47 h", "3 d"]);
});

it.each([
  ["merged by hand", "Merged by hand"],
  ["follow-up: also IPv6", "Follow-up: also IPv6"],
  ["plan", "Plan"],
  ["agent/fix-totals was merged", "agent/fix-totals was merged"],
  ["total.sh failed", "total.sh failed"],
  ["", ""],
])("a sentence that begins with %j is shown as %j", (text, shown) => {
  expect(capitalize(text)).toBe(shown);
});
