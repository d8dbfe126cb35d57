import { expect, it } from "vitest";
import { sumUsd } from "./cost-dimensions.ts";

it("sumUsd gives the same sum in every order", () => {
  const amounts = [0.1, 0.2, 0.3, 1e-9, 123.456789];
  expect(sumUsd(amounts)).toBe(124.056789001);
  expect(sumUsd(amounts.toReversed())).toBe(124.056789001);
  expect(sumUsd([])).toBe(0);
});
