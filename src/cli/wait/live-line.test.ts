import { describe, expect, it } from "vitest";
import { textWidth } from "../print/terminal/fit-text.ts";
import { LiveLine } from "./live-line.ts";

/** One row of a terminal that understands the sequences of the line, and fails on all others. */
function createTerminal(columns: number | undefined) {
  let row: string[] = [];
  let cursor = 0;
  let drawn = "";
  return {
    columns,
    write(text: string): void {
      for (const [part, sequence] of text.matchAll(/(\u001b\[(?:J|\?7[lh]|\d+m))|[^\u001b]/gu)) {
        if (part === "\r") cursor = 0;
        else if (sequence === "\u001b[J") row = row.slice(0, cursor);
        else if (sequence === undefined) row[cursor++] = part;
      }
      if (text.replaceAll(/\u001b\[(?:J|\?7[lh]|\d+m)/g, "").includes("\u001b")) throw new Error(`unknown: ${text}`);
      drawn = row.join("") === "" ? drawn : row.join("");
    },
    row: () => row.join(""),
    cursor: () => cursor,
    lastDrawn: () => drawn,
  };
}

describe("live line", () => {
  it("replaces itself, and is gone after clear", () => {
    const terminal = createTerminal(40);
    const line = new LiveLine({ color: true }, terminal);
    line.show("a long line of text");
    line.show("short");
    expect(terminal.row()).toBe("short");
    line.clear();
    expect(terminal.row()).toBe("");
  });

  it("leaves the cursor at its start, so that rows after a smaller window can be erased", () => {
    const terminal = createTerminal(40);
    new LiveLine({ color: false }, terminal).show("text");
    expect(terminal.cursor()).toBe(0);
  });

  it("writes nothing when there is nothing to clear", () => {
    const written: string[] = [];
    new LiveLine({ color: false }, { columns: 40, write: (text) => written.push(text) }).clear();
    expect(written).toEqual([]);
  });

  it.each([
    ["x".repeat(500), 40],
    ["日本語のとても長い行".repeat(20), 41],
    ["👩‍💻 emoji ☀️ and 🇩🇪 flags ".repeat(20), 33],
    ["e\u0301".repeat(200), 20],
    ["x".repeat(500), 0],
    ["x".repeat(500), undefined],
    ["日本語", 2],
  ])("%# is narrower than the terminal", (text, columns) => {
    const terminal = createTerminal(columns);
    new LiveLine({ color: false }, terminal).show(text);
    expect(textWidth(terminal.lastDrawn())).toBeLessThan(columns === 0 || columns === undefined ? 80 : columns);
    expect(terminal.row()).toMatch(/…$/);
  });

  it("removes line breaks and escape sequences from its text", () => {
    const terminal = createTerminal(80);
    new LiveLine({ color: false }, terminal).show("one\ntwo\u001b[2J\u001b]0;owned\u0007\tthree\u202e");
    expect(terminal.row()).toBe("one two three");
  });
});
