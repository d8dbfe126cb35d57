import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSince, renderEntry } from "../commands/machine/logs.ts";
import { LogReader } from "./read-log.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-logs-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const line = (time: string, msg: string): string => `${JSON.stringify({ level: "info", time, msg })}\n`;
const messages = (reader: LogReader): readonly string[] => [...reader.read()].map(({ msg }) => msg);

describe("daemon log", () => {
  it("is read over several days from a point in time, in order, without other files", () => {
    writeFileSync(join(dir, "2026-11-14.jsonl"), line("2026-11-14T10:00:00Z", "too old"));
    writeFileSync(
      join(dir, "2026-11-15.jsonl"),
      line("2026-11-15T09:00:00Z", "early") + line("2026-11-15T23:00:00Z", "b"),
    );
    writeFileSync(join(dir, "2026-11-16.jsonl"), line("2026-11-16T01:00:00Z", "c"));
    writeFileSync(join(dir, "nights.jsonl"), line("2026-11-16T01:00:00Z", "another file"));
    expect(messages(new LogReader(dir, Date.UTC(2026, 10, 15, 12)))).toEqual(["b", "c"]);
  });

  it("continues with what was added, also in the file of a new day, and holds back incomplete lines", () => {
    const reader = new LogReader(dir, 0);
    expect(messages(reader)).toEqual([]);
    const first = join(dir, "2026-11-15.jsonl");
    writeFileSync(first, line("2026-11-15T09:00:00Z", "one"));
    expect(messages(reader)).toEqual(["one"]);
    const next = line("2026-11-15T09:01:00Z", "ünïcode");
    appendFileSync(first, Buffer.from(next).subarray(0, 60));
    expect(messages(reader)).toEqual([]);
    appendFileSync(first, Buffer.from(next).subarray(60));
    writeFileSync(join(dir, "2026-11-16.jsonl"), line("2026-11-16T00:00:00Z", "two"));
    expect(messages(reader)).toEqual(["ünïcode", "two"]);
  });

  it("shows a damaged line as its text, and an absent folder as empty", () => {
    writeFileSync(join(dir, "2026-11-15.jsonl"), `{"level":"inf\n42\n\n${line("2026-11-15T09:00:00Z", "after")}`);
    expect(messages(new LogReader(dir, 0))).toEqual(['{"level":"inf', "42", "after"]);
    expect(messages(new LogReader(join(dir, "missing"), 0))).toEqual([]);
  });

  it("is rendered without control characters, with long fields below the line", () => {
    const entry = {
      time: "2026-11-15T09:00:00Z",
      level: "error",
      msg: "failed\u001b[2J",
      task: "task_1",
      error: "Error: no\n    at x",
    };
    const text = renderEntry({ color: false }, entry);
    expect(text).toMatch(/^2026-11-15 \d\d:\d\d:00 error failed task=task_1\n {6}error=Error: no\n {12}at x\n$/);
  });

  it("starts at a time before now, a local day or a timestamp, and refuses anything else", () => {
    const now = Date.UTC(2026, 10, 15, 12);
    expect(readSince("2h", now)).toBe(now - 7_200_000);
    expect(readSince("30d", now)).toBe(now - 30 * 86_400_000);
    expect(readSince("2026-11-15", now)).toBe(new Date(2026, 10, 15).getTime());
    expect(readSince("2026-11-15T10:00:00Z", now)).toBe(Date.UTC(2026, 10, 15, 10));
    expect(() => readSince("yesterday\u001b[2J", now)).toThrow('--since cannot be "yesterday".');
  });
});
