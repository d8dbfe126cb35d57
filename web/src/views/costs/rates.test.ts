import { expect, test } from "vitest";
import { formatRate, formatTokens } from "./rates.ts";

test("a rate is shown only from 20 on", () => {
  expect([formatRate(19, 19), formatRate(18, 20)]).toEqual([null, "90 %"]);
});

test("token counts are short, and small ones exact", () => {
  expect([812, 9_999, 31_400, 214_640_000].map(formatTokens)).toEqual(["812", "9,999", "31 k", "214.6 M"]);
});
