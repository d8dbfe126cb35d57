import { describe, expect, it } from "vitest";
import { spanOf } from "./costs.ts";

// 23:30 on the 15th in Paris.
const NOW = Date.parse("2026-11-15T22:30:00Z");

function span(query: Parameters<typeof spanOf>[0], timeZone = "Europe/Paris"): readonly string[] {
  const { since, until } = spanOf(query, NOW, timeZone);
  return [new Date(since).toISOString(), new Date(until).toISOString()];
}

describe("costs: requested period", () => {
  it("defaults to the last thirty days including today", () => {
    expect(span({})).toEqual(["2026-10-16T22:00:00.000Z", "2026-11-15T22:30:00.001Z"]);
    expect(span({}, "UTC")[0]).toBe("2026-10-17T00:00:00.000Z");
  });

  it("starts and ends with whole days of the time zone", () => {
    expect(span({ since: "2026-03-29", until: "2026-03-29" })).toEqual([
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
    ]);
    expect(span({ since: "1d" })[0]).toBe("2026-11-14T23:00:00.000Z");
    expect(span({ since: "7d", until: "2026-11-10" })).toEqual([
      "2026-11-03T23:00:00.000Z",
      "2026-11-10T23:00:00.000Z",
    ]);
  });

  it("uses timestamps unchanged", () => {
    expect(span({ since: "2026-11-01T12:00:00Z", until: "2026-11-02T12:00:00+01:00" })).toEqual([
      "2026-11-01T12:00:00.000Z",
      "2026-11-02T11:00:00.000Z",
    ]);
  });

  it("is refused if it ends before it starts", () => {
    expect(() => span({ since: "2026-11-16" })).toThrow(/ends .* before it starts/);
    expect(() => span({ since: "2026-11-02", until: "2026-11-01" })).toThrow(/before it starts/);
  });
});
