import { describe, expect, it } from "vitest";
import { readChange } from "./read-change.ts";
import { cutIntoWindows } from "./windows.ts";

function textOf(content: string) {
  const after = { kind: "file", bytes: content.length, content: Buffer.from(content) } as const;
  const text = readChange({ path: "a", before: null, after });
  if (text === null) throw new Error("expected content");
  return text;
}

describe("secret scan: windows of a text", () => {
  it("are the text itself if it is short", () => {
    const text = textOf("short\n");
    expect(cutIntoWindows(text)).toEqual([text]);
  });

  it.each([
    ["lines", Array.from({ length: 120_000 }, (_, at) => `line ${at + 1}\n`).join("")],
    ["one line", "x".repeat(1_600_000)],
    ["two lines", `${"x".repeat(499_999)}\n${"y".repeat(700_000)}`],
  ])("overlap, cover everything and have correct lines: %s", (_, content) => {
    const text = textOf(content);
    const windows = cutIntoWindows(text);
    expect(windows.length).toBeGreaterThan(1);
    let end = 16_000;
    for (const window of windows) {
      const offset = -window.startOf(1);
      expect(window.text).toBe(content.slice(offset, offset + window.text.length));
      expect(window.text.length).toBeLessThanOrEqual(500_000);
      expect(offset).toBeLessThanOrEqual(end - 16_000);
      expect(window.lineAt(100)).toBe(text.lineAt(offset + 100));
      if (content.startsWith("line")) expect(window.text).toMatch(/^line \d+\n/);
      end = offset + window.text.length;
    }
    expect(end).toBe(content.length);
  });
});
