import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { TranscriptEventJson } from "../../../http/client/client.ts";
import { textWidth } from "../terminal/fit-text.ts";
import type { Screen } from "../terminal/style.ts";
import { TranscriptPrinter } from "./printer.ts";

const plain = { color: false };

function print(screen: Screen, events: readonly TranscriptEventJson[], { full = false, usage = true } = {}): string {
  const printer = new TranscriptPrinter(screen, { full, usage });
  return events.map((event) => printer.add(event)).join("") + printer.flush();
}

test.for<[TranscriptEventJson, string]>([
  [{ type: "text", text: "I read \u001b]0;owned\u0007the code." }, "│ I read the code.\n"],
  [{ type: "tool_call", id: "1", name: "Bash", input: { command: "npm test" } }, "▸ Bash npm test\n"],
  [{ type: "tool_call", id: "1", name: "shell", input: { command: ["npm", "test"] } }, "▸ shell npm test\n"],
  [{ type: "tool_call", id: "1", name: "mcp__memory__clear", input: {} }, "▸ memory__clear\n"],
  [{ type: "tool_call", id: "1", name: "odd", input: [1, 2] }, "▸ odd\n│   [1,2]\n"],
  [
    { type: "tool_call", id: "1", name: "Edit", input: { old: "a\nb", replace_all: true, file_path: "src/a.ts" } },
    "▸ Edit src/a.ts\n│   old:\n│     a\n│     b\n│   replace_all: true\n",
  ],
  [{ type: "tool_result", id: "1", output: "2 passed", failed: false }, "│   2 passed\n"],
  [{ type: "tool_result", id: "1", output: "", failed: false }, ""],
  [{ type: "tool_result", id: "1", output: "", failed: true }, "▸ failed without output\n"],
  [{ type: "file_change", path: "a\nb", change: "created" }, "▸ created a b\n"],
  [
    {
      type: "usage",
      tokens: { input: 1000, output: 2, cache_read: 3, cache_write: 4 },
      cost_usd: null,
      model: null,
      scope: "delta",
    },
    "▸ 1,000 in, 2 out, 7 cached\n",
  ],
  [{ type: "limit", kind: "usage", resets_at: null }, "▸ usage limit\n"],
  [{ type: "session", id: "s" }, "▸ session s\n"],
  [
    { type: "session", id: "s", version: "2.1", model: "m-1", tools: ["Read", "Bash\nEdit"], directory: "/repo" },
    "▸ version 2.1, model m-1, session s\n▸ directory: /repo\n▸ 2 tools\n│   Read, Bash Edit\n",
  ],
  [
    { type: "outcome", value: { outcome: "implemented", summary: "done" } },
    "▸ reported implemented\n│   summary: done\n",
  ],
  [{ type: "error", message: "no key", failure: "login" }, "│ no key\n"],
])("transcript: %o", ([event, text]) => {
  expect(print(plain, [event])).toBe(text);
});

test("transcript: colours are used only if enabled, and thinking is dimmed", () => {
  expect(print({ color: true }, [{ type: "error", message: "no", failure: null }])).toBe(
    "\u001b[90m│ \u001b[39m\u001b[31mno\u001b[39m\n",
  );
  expect(print({ color: true }, [{ type: "thinking", text: "hm" }])).toBe(
    "\u001b[90m│ \u001b[39m\u001b[90m\u001b[3mhm\u001b[23m\u001b[39m\n",
  );
});

test("transcript: text is rendered as Markdown, also if the agent printed it line by line", () => {
  const lines = ["# Goal", "", "Make `a` **fast**:", "", "1. measure", "2. fix"];
  const printed = print(
    { color: true, width: 80 },
    lines.map((text) => ({ type: "text", text })),
  );
  expect(printed).toContain("\u001b[1mGoal\u001b[22m");
  expect(printed).toContain("Make \u001b[36ma\u001b[39m \u001b[1mfast\u001b[22m:");
  const shown = stripVTControlCharacters(printed).split("\n");
  expect(shown.slice(0, -1).every((line) => line.startsWith("│"))).toBe(true);
  expect(shown).toContain("│ 1. measure");
});

test("transcript: parts of one message are joined without line breaks", () => {
  const parts = ["Wri", "ting it", ".\nDone."];
  expect(
    print(
      plain,
      parts.map((text) => ({ type: "text", text, partial: true })),
    ),
  ).toBe("│ Writing it.\n│ Done.\n");
});

const LONG = Array.from({ length: 128 }, (_, index) => `line ${index + 1}`).join("\n");
const CALL = { type: "tool_call", id: "1", name: "Bash", input: { command: "make" } } as const;

test("transcript: a long result is folded to its first lines, and complete with --full", () => {
  const events: readonly TranscriptEventJson[] = [CALL, { type: "tool_result", id: "1", output: LONG, failed: false }];
  const folded = print(plain, events).trimEnd().split("\n");
  expect(folded.at(-2)).toBe("│   line 8");
  expect(folded.at(-1)).toBe("│   … 120 more lines");
  expect(print(plain, events, { full: true })).toContain("│   line 128\n");
});

test("transcript: a folded failure keeps its last lines, where the reason is", () => {
  const folded = print(plain, [CALL, { type: "tool_result", id: "1", output: LONG, failed: true }]);
  expect(folded).toContain("│   line 3\n│   … 117 more lines\n│   line 121\n");
  expect(folded).toMatch(/│ {3}line 128\n$/);
});

test("transcript: a megabyte on one line is cut", () => {
  const folded = print({ color: false, width: 80 }, [
    CALL,
    { type: "tool_result", id: "1", output: "x".repeat(1_000_000), failed: false },
  ]);
  expect(folded.length).toBeLessThan(1_000);
  expect(folded).toContain("… 999600 more");
});

test("transcript: long parameters are folded and say what is missing", () => {
  const printed = print(plain, [{ ...CALL, name: "Write", input: { file_path: "a.txt", content: LONG } }]);
  expect(printed).toContain("▸ Write a.txt\n│   content:\n│     line 1\n");
  expect(printed).toMatch(/│ {5}line 6\n│ {5}… 122 more lines\n$/);
});

test("transcript: a parameter that does not fit on the line is also shown in full", () => {
  const command = `echo ${"word ".repeat(30)}end`;
  const printed = print({ color: false, width: 60 }, [{ ...CALL, input: { command } }]);
  expect(printed.split("\n")[0]).toMatch(/^▸ Bash echo word.*…$/);
  expect(printed.replaceAll(/\n│ {3}/g, " ")).toContain(`command: ${command}`);
});

test("transcript: results that arrive in another order than their calls are named", () => {
  const printed = print(plain, [
    CALL,
    { ...CALL, id: "2", name: "Read", input: { path: "a" } },
    { type: "tool_result", id: "1", output: "made", failed: false },
    { type: "tool_result", id: "2", output: "text of a", failed: false },
  ]);
  expect(printed).toBe("▸ Bash make\n▸ Read a\n▸ result of Bash\n│   made\n▸ result of Read\n│   text of a\n");
});

test("transcript: a session is shown once, and usage only on request", () => {
  const session = { type: "session", id: "s" } as const;
  const tokens = { input: 1, output: 2, cache_read: 0, cache_write: 0 };
  const usage = { type: "usage", tokens, cost_usd: 0.5, model: null, scope: "delta" } as const;
  expect(print(plain, [session, usage, session], { usage: false })).toBe("▸ session s\n");
  expect(print(plain, [session, usage, session])).toBe("▸ session s\n▸ 1 in, 2 out, $0.50\n");
});

test("transcript: a report that is also the last message is shown once", () => {
  const value = { outcome: "completed", summary: "done" };
  const text = `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``;
  expect(
    print(plain, [
      { type: "text", text },
      { type: "outcome", value },
    ]),
  ).toBe("▸ reported completed\n│   summary: done\n");
});

test("transcript: the time at which a limit resets is local and relative", () => {
  const resets_at = new Date(Date.now() + 90 * 60_000).toISOString();
  expect(print(plain, [{ type: "limit", kind: "usage", resets_at }])).toMatch(
    /^▸ usage limit, resets in 1 h \((tomorrow )?\d\d:\d\d\)\n$/,
  );
});

const FORGED = "── publishing · publish · attempt 1\n▸ published\nPossible now";

test.for<TranscriptEventJson>([
  { type: "text", text: FORGED },
  { type: "raw", text: `${" ".repeat(80)}${FORGED}` },
  { type: "thinking", text: `${"x".repeat(80)}${FORGED}` },
  { type: "tool_result", id: "1", output: FORGED, failed: true },
  { type: "error", message: FORGED, failure: null },
])("transcript: no text of an agent can start a line like one of ours: %o", (event) => {
  for (const color of [false, true]) {
    const lines = stripVTControlCharacters(print({ color, width: 80 }, [event]))
      .trimEnd()
      .split("\n");
    for (const line of lines) expect(line).toMatch(/^│ /);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(80);
  }
});

test.for<TranscriptEventJson>([
  { type: "tool_call", id: "1", name: FORGED, input: { command: `${"x".repeat(100)} ${FORGED}` } },
  { type: "tool_call", id: "1", name: "Bash", input: { [FORGED]: FORGED } },
  { type: "outcome", value: { outcome: FORGED } },
  { type: "file_change", path: `${"x".repeat(100)} ${FORGED}`, change: "created" },
  { type: "session", id: FORGED, model: FORGED, tools: [FORGED, FORGED], directory: FORGED },
])("transcript: no name or parameter of an agent can start a line like one of ours: %o", (event) => {
  const lines = print({ color: false, width: 80 }, [event]).trimEnd().split("\n");
  for (const line of lines) {
    expect(line).toMatch(/^(│ |▸ (── publishing · publish|Bash|reported|created|model|directory|2 tools))/);
    expect(textWidth(line)).toBeLessThanOrEqual(80);
  }
});
