import { expect, it } from "vitest";
import { describeCron } from "./describe-cron.ts";

it("expressions with one time a day are said in words", () => {
  const texts = ["0 2 * * 1-5", "30 23 * * *", "5 3 * * 0", "0 3 * * 7", "0 9 * * 6,0", "15 1 * * 1,3"];
  expect(texts.map(describeCron)).toEqual([
    "weekdays at 02:00",
    "every day at 23:30",
    "Sundays at 03:05",
    "Sundays at 03:00",
    "weekends at 09:00",
    "Mondays, Wednesdays at 01:15",
  ]);
});

it("other expressions are left as they are", () => {
  expect(
    ["*/5 * * * *", "0 2 1 * *", "0 2,4 * * *", "0 2 * * MON", "0 2 * * 5-1", "nonsense"].map(describeCron),
  ).toEqual([null, null, null, null, null, null]);
});
