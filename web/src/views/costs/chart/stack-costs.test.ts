import { expect, test } from "vitest";
import { chooseScale, stackCosts } from "./stack-costs.ts";

const period = { since: "2026-11-14T23:00:00.000Z", until: "2026-11-17T12:00:00.001Z", time_zone: "Europe/Paris" };
const nothing = { runs: 1, unknown_cost: 0, tokens: null, unknown_tokens: 0 } as const;
const basis = { reported: 1, metered: 0, computed: 0, unknown: 0 };

function row(day: string, project: string | undefined, usd: number | null) {
  const unknown = usd === null ? 2 : 0;
  return { ...nothing, basis, day, ...(project !== undefined && { project }), cost_usd: usd, unknown_cost: unknown };
}

test("costs by day: every day of the period is listed, with its sum in each series, the most expensive first", () => {
  const rows = [
    row("2026-11-15", "blog", 0.1),
    row("2026-11-15", "shop", 1),
    row("2026-11-17", "blog", 0.2),
    row("2026-11-17", "shop", null),
  ];
  expect(stackCosts({ ...period, rows }, "project")).toEqual({
    series: [
      { name: "shop", usd: 1 },
      { name: "blog", usd: 0.3 },
    ],
    days: [
      { day: "2026-11-15", parts: [1, 0.1], usd: 1.1, unknown: 0 },
      { day: "2026-11-16", parts: [0, 0], usd: 0, unknown: 0 },
      { day: "2026-11-17", parts: [0, 0.2], usd: 0.2, unknown: 2 },
    ],
  });
});

test("costs by day: of five projects the three most expensive have a series, and the sums stay complete", () => {
  const rows = [1, 2, 3, 4, 5].map((usd) => row("2026-11-16", `p${usd}`, usd));
  const { series, days } = stackCosts({ ...period, rows }, "project");
  expect(series).toEqual([
    { name: "p5", usd: 5 },
    { name: "p4", usd: 4 },
    { name: "p3", usd: 3 },
    { name: "others", usd: 3 },
  ]);
  expect(days[1]).toEqual({ day: "2026-11-16", parts: [5, 4, 3, 3], usd: 15, unknown: 0 });
});

test("costs by day: a run without a model has a series of its own", () => {
  const { series } = stackCosts({ ...period, rows: [row("2026-11-16", undefined, 1)] }, "model");
  expect(series).toEqual([{ name: "unknown", usd: 1 }]);
});

test.for([
  [0, [0, 1]],
  [16.61, [0, 10, 20]],
  [9, [0, 5, 10]],
  [15, [0, 5, 10, 15]],
  [1.26, [0, 0.5, 1, 1.5]],
  [0.3, [0, 0.1, 0.2, 0.3]],
  [0.04, [0, 0.02, 0.04]],
] as const)("a chart up to $%d has lines at %j", ([highest, lines]) => {
  expect(chooseScale(highest)).toEqual(lines);
});
