import { describe, expect, it } from "vitest";
import { addDays, createCalendar } from "./calendar.ts";

describe("calendar", () => {
  it("returns the day of a time in its time zone", () => {
    const at = Date.parse("2026-03-01T23:30:00Z");
    expect(createCalendar("UTC").dayOf(at)).toBe("2026-03-01");
    expect(createCalendar("Europe/Paris").dayOf(at)).toBe("2026-03-02");
    expect(createCalendar("America/Los_Angeles").dayOf(at)).toBe("2026-03-01");
  });

  it.each([
    ["UTC", "2026-03-01", "2026-03-01T00:00:00.000Z"],
    ["Europe/Paris", "2026-03-30", "2026-03-29T22:00:00.000Z"],
    ["Asia/Kathmandu", "2026-03-01", "2026-02-28T18:15:00.000Z"],
    ["Pacific/Kiritimati", "2026-03-01", "2026-02-28T10:00:00.000Z"],
    ["Pacific/Pago_Pago", "2026-03-01", "2026-03-01T11:00:00.000Z"],
    // This day has no midnight: the clock goes from 23:59 to 01:00.
    ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z"],
    // This day does not exist here: it starts where the next one does.
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z"],
  ])("a day in %s, %s, starts at its first moment", (zone, day, start) => {
    expect(new Date(createCalendar(zone).startOf(day)).toISOString()).toBe(start);
  });

  it("is consistent around every midnight of a year", () => {
    const calendar = createCalendar("America/Santiago");
    for (let day = "2026-01-01"; day < "2027-01-01"; day = addDays(day, 1)) {
      const start = calendar.startOf(day);
      expect(calendar.dayOf(start)).toBe(day);
      expect(calendar.dayOf(start - 1)).toBe(addDays(day, -1));
    }
  });

  it.each([
    ["UTC", "2026-03-01", "2026-03-01T12:00:00.000Z"],
    ["Asia/Kathmandu", "2026-03-01", "2026-03-01T06:15:00.000Z"],
    // Daylight saving starts in the night between the first two, and ends between the others.
    ["Europe/Paris", "2026-03-28", "2026-03-28T11:00:00.000Z"],
    ["Europe/Paris", "2026-03-29", "2026-03-29T10:00:00.000Z"],
    ["Europe/Paris", "2026-10-24", "2026-10-24T10:00:00.000Z"],
    ["Europe/Paris", "2026-10-25", "2026-10-25T11:00:00.000Z"],
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z"],
  ])("knows noon in %s, %s", (zone, day, noon) => {
    expect(new Date(createCalendar(zone).noonOf(day)).toISOString()).toBe(noon);
  });

  it("names a night after the day on which it began", () => {
    const { nightOf } = createCalendar("Europe/Paris");
    expect(nightOf(Date.parse("2026-03-29T09:59:59.999Z"))).toBe("2026-03-28");
    expect(nightOf(Date.parse("2026-03-29T10:00:00Z"))).toBe("2026-03-29");
    expect(nightOf(Date.parse("2026-03-01T00:00:00Z"))).toBe("2026-02-28");
  });

  it("counts days across months and years", () => {
    expect(addDays("2026-02-28", 1)).toBe("2026-03-01");
    expect(addDays("2026-01-01", -1)).toBe("2025-12-31");
    expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
  });
});
