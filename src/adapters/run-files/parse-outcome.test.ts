import { describe, expect, it } from "vitest";
import { parseOutcome } from "./parse-outcome.ts";

const parse = (text: string) => parseOutcome(new TextEncoder().encode(text));
const fence = (content: string, mark = "```") => `${mark}json\n${content}\n${mark}`;
const REPORT = { outcome: "implemented", summary: "Says `hi`." };
const JSON_TEXT = JSON.stringify(REPORT, null, 2);
const ACCEPTED = { kind: "value", value: REPORT };

describe("parseOutcome", () => {
  it.each([
    ["bare", JSON_TEXT],
    ["with a byte order mark", `\uFEFF${JSON_TEXT}`],
    ["in a code fence", fence(JSON_TEXT)],
    ["in a fence without a language", `\`\`\`\n${JSON_TEXT}\n\`\`\``],
    ["in an indented fence", `1. Done:\n   ${fence(JSON_TEXT).replaceAll("\n", "\n   ")}`],
    ["in a fence of tildes", fence(JSON_TEXT, "~~~")],
    ["in a longer fence", fence(JSON_TEXT, "`````")],
    ["in a fence with Windows line ends", fence(JSON_TEXT).replaceAll("\n", "\r\n")],
    ["in a fence that is not closed", `\`\`\`json\n${JSON_TEXT}\n`],
    ["in a fence with text around it", `I changed "two\nfiles [1].\n\n${fence(JSON_TEXT)}\n\nTell me more {.`],
    ["beside a fence of something else", ["```sh", "npm test", "```", fence(JSON_TEXT)].join("\n")],
  ])("accepts a JSON object %s", (_how, text) => {
    expect(parse(text)).toEqual(ACCEPTED);
  });

  it("does not mistake a fence inside of a JSON string for the end of the block", () => {
    const value = { outcome: "completed", result: "```sh\nnpm test\n```\nworks" };
    expect(parse(fence(JSON.stringify(value, null, 2)))).toEqual({ kind: "value", value });
    expect(parse(JSON.stringify(value))).toEqual({ kind: "value", value });
  });

  it.each([
    ["nothing", " \n", "is empty"],
    ["prose", "I am done.", "is not JSON"],
    ["prose around bare JSON", `Done: ${JSON.stringify(REPORT)}`, "is not JSON"],
    ["broken JSON in a fence", fence("{oops"), "is not JSON"],
    ["an empty fence", "```\n```", "is not JSON"],
    ["a list in a fence", fence("[]"), "contains a list"],
    ["a list", "[1]", "contains a list"],
    ["null", "null", "contains null"],
    ["two objects", `${fence(JSON_TEXT)}\n${fence('{"outcome":"blocked"}')}`, "contains 2 JSON objects in code fences"],
    ["a key of the prototype", fence('{"a": [{"__proto__": 1}]}'), '"__proto__"'],
    ["too many levels", fence(`{"a":${"[".repeat(100)}${"]".repeat(100)}}`), "more than 64 levels"],
  ])("refuses %s", (_what, text, problem) => {
    const parsed = parse(text);
    expect(parsed).toMatchObject({ kind: "invalid" });
    expect(JSON.stringify(parsed)).toContain(JSON.stringify(problem).slice(1, -1));
  });

  it("refuses bytes that are not UTF-8", () => {
    expect(parseOutcome(Uint8Array.of(0x7b, 0xff, 0x7d))).toMatchObject({ kind: "invalid" });
  });

  it("shows no control characters of the file in its message", () => {
    expect(JSON.stringify(parse("\u001b[2J{"))).not.toContain("\\u001b");
  });

  it("reads a megabyte of fences", () => {
    expect(parse("```\n".repeat(250_000))).toMatchObject({ kind: "invalid" });
    expect(parse("`".repeat(1_000_000))).toMatchObject({ kind: "invalid" });
  });
});
