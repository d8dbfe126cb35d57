import { expect, test } from "vitest";
import { nameMorning, nameNight, nightAfter, nightBefore } from "./night-dates.ts";

test("a night is named by both of its days, and by the month once if both are in it", () => {
  expect(nameNight("2026-11-16")).toBe("Night of 16 to 17 November");
  expect(nameNight("2026-11-30")).toBe("Night of 30 November to 1 December");
  expect(nameMorning("2026-11-16")).toBe("Tuesday 17 November");
});

test("the night before and after, until the newest one", () => {
  expect(nightBefore("2026-03-01")).toBe("2026-02-28");
  expect(nightAfter("2026-11-15", "2026-11-17")).toBe("2026-11-16");
  expect([nightAfter("2026-11-17", "2026-11-17"), nightAfter("2026-11-15", null)]).toEqual([null, null]);
});
