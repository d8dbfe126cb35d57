import { describe, expect, it } from "vitest";
import { spanOf } from "./costs.ts";

// Half past eleven at night in Paris, and the 15th there.
const NOW = Date.parse("2026-11-15T22:30:00Z");

function span(query: Parameters<typeof spanOf>[0], timeZone = "Europe/Paris"): readonly string[] {
  const { since, until } = spanOf(query, NOW, timeZone);
  return [new Date(since).toISOString(), new Date(until).toISOString()];
}

describe("the time that costs are asked for", () => {
  it("is the last thirty days unless told, this one among them", () => {
    expect(span({})).toEqual(["2026-10-16T22:00:00.000Z", "2026-11-15T22:30:00.001Z"]);
    expect(span({}, "UTC")[0]).toBe("2026-10-17T00:00:00.000Z");
  });

  it("begins with the first moment of a day of the zone, and ends with the last", () => {
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

  it("takes moments as they are", () => {
    expect(span({ since: "2026-11-01T12:00:00Z", until: "2026-11-02T12:00:00+01:00" })).toEqual([
      "2026-11-01T12:00:00.000Z",
      "2026-11-02T11:00:00.000Z",
    ]);
  });

  it("is refused where it ends before it begins", () => {
    expect(() => span({ since: "2026-11-16" })).toThrow(/ends .* before it begins/);
    expect(() => span({ since: "2026-11-02", until: "2026-11-01" })).toThrow(/before it begins/);
  });
});
