import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapedLine, terminalJson, terminalLine, terminalOutput, terminalText } from "./terminal-text.ts";

const DANGEROUS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;

/** Strings that consist mostly of terminal control sequences, so that the property meets them in every order. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\u001b",
        "\u001b[",
        "\u001b]",
        "\u009b",
        "\u009d",
        "\u0090",
        "\u0007",
        "\u001b\\",
        "\u009c",
        "31m",
        "0;title",
      ),
      fc.constantFrom("\0", "\r", "\n", "\t", "\b", "\u202e", "\u2066", "\u200f", "\ud800", "\udc00", "\u{e0041}"),
      fc.string({ unit: "binary" }),
    ),
  )
  .map((parts) => parts.join(""));

describe("terminalText", () => {
  it("removes everything a terminal would interpret", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const safe = terminalText(text);
        expect(safe).not.toMatch(DANGEROUS);
        expect(safe.isWellFormed()).toBe(true);
        expect(terminalText(safe)).toBe(safe);
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps words, line feeds, tabs and letters of every script", () => {
    const text = "naïve\tcafé\n日本語 🌙 עברית\n";
    expect(terminalText(text)).toBe(text);
  });

  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["8-bit colours", "\u009b31mred\u009b0m", "red"],
    ["a window title", "a\u001b]0;owned\u0007b", "ab"],
    ["the clipboard", "a\u001b]52;c;cm0gLXJmIH4=\u001b\\b", "ab"],
    ["a link, whose words stay", "\u001b]8;;https://example.com\u001b\\words\u001b]8;;\u001b\\", "words"],
    ["a device string", "a\u001bPq#0\u001b\\b", "ab"],
    ["a carriage return that would overwrite the line", "rm -rf /\rls", "rm -rf /\nls"],
    ["backspaces", "no\b\byes", "noyes"],
    ["reversed reading order", "safe\u202egnp.exe", "safegnp.exe"],
    ["NUL", "a\0b", "ab"],
    ["zero-width spaces and joiners", "a\u200bb\u200cc\u200dd\u2060e", "abcde"],
    ["soft hyphens, fillers and variation selectors", "a\u00adb\u3164c\ufe01d\u{e0100}e", "abcde"],
    ["a reset", "a\u001bcb", "ab"],
  ])("removes %s", (_, text, expected) => {
    expect(terminalText(text)).toBe(expected);
  });

  it("an unterminated command does not remove the following lines", () => {
    expect(terminalText("\u001b]0;title\nnext line\u0007")).toContain("next line");
  });

  it("is fast for a megabyte of unterminated commands", () => {
    const started = performance.now();
    terminalText("\u001b]".repeat(500_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("terminalOutput", () => {
  it("keeps only the colours of the CLI", () => {
    const own = "\u001b[1mbold\u001b[22m \u001b[31mred\u001b[39m \u001b[3mitalic\u001b[23m";
    expect(terminalOutput(own)).toBe(own);
    expect(terminalOutput("a\u001b[8mhidden\u001b[2J\u001b]0;\u001b[31mx\u0007")).toBe("ahidden0;\u001b[31mx");
  });

  it("leaves no other control character, whatever it is given", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        // oxlint-disable-next-line no-control-regex -- matches control characters
        expect(terminalOutput(text).replaceAll(/\u001b\[(?:1|22|3|23|3[0-79]|9[0-7])m/g, "")).not.toMatch(DANGEROUS);
      }),
    );
  });
});

describe("escapedLine and terminalJson", () => {
  it("show what terminalText would remove", () => {
    expect(escapedLine("a\u001b[2J\u202e\nb\u{e0041}")).toBe(String.raw`a\u001b[2J\u202e\nb\udb40\udc41`);
  });

  it("terminalJson is printable and keeps every character", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = terminalJson({ text: text.toWellFormed() });
        expect(json).not.toMatch(DANGEROUS);
        expect(JSON.parse(json)).toEqual({ text: text.toWellFormed() });
      }),
    );
  });
});

describe("terminalLine", () => {
  it("joins several lines", () => {
    expect(terminalLine(" a\n\tb\u001b[0m  c ", 10)).toBe("a b c");
  });

  it("cuts between characters", () => {
    expect(terminalLine("🌙🌙🌙🌙", 3)).toBe("🌙🌙…");
    expect(terminalLine("🌙🌙🌙", 3)).toBe("🌙🌙🌙");
  });

  it("never exceeds the maximum length", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, max) => {
        const line = terminalLine(text, max);
        expect(Array.from(line).length).toBeLessThanOrEqual(max);
        expect(line).not.toMatch(/[\n\t]/);
      }),
    );
  });
});
