import { expect, test } from "vitest";
import type { TranscriptEventJson } from "../../http/client/client.ts";
import { textWidth } from "./terminal/fit-text.ts";
import { renderEvent } from "./transcript.ts";

const plain = { color: false };

test.for<[TranscriptEventJson, string]>([
  [{ type: "text", text: "I read \u001b]0;owned\u0007the code." }, "│ I read the code.\n"],
  [{ type: "tool_call", id: "1", name: "Bash", input: { command: "npm test" } }, '▸ Bash {"command":"npm test"}\n'],
  [{ type: "tool_result", id: "1", output: "2 passed", failed: false }, "│ 2 passed\n"],
  [{ type: "file_change", path: "a\nb", change: "created" }, "▸ created a b\n"],
  [
    {
      type: "usage",
      tokens: { input: 10, output: 2, cache_read: 0, cache_write: 0 },
      cost_usd: null,
      model: null,
      scope: "delta",
    },
    "▸ 10 in, 2 out, unknown\n",
  ],
  [{ type: "limit", kind: "usage", resets_at: null }, "▸ usage limit\n"],
  [{ type: "session", id: "s" }, ""],
  [{ type: "error", message: "no key", failure: "login" }, "│ no key\n"],
])("transcript: %o", ([event, text]) => {
  expect(renderEvent(plain, event)).toBe(text);
});

test("transcript: colours are used only if enabled", () => {
  expect(renderEvent({ color: true }, { type: "error", message: "no", failure: null })).toBe(
    "\u001b[90m│ \u001b[39m\u001b[31mno\u001b[39m\n",
  );
});

test("transcript: the time at which a limit resets is local and relative", () => {
  const resets_at = new Date(Date.now() + 90 * 60_000).toISOString();
  expect(renderEvent(plain, { type: "limit", kind: "usage", resets_at })).toMatch(
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
  { type: "tool_call", id: "1", name: FORGED, input: { command: `${"x".repeat(100)} ${FORGED}` } },
  { type: "file_change", path: `${"x".repeat(100)} ${FORGED}`, change: "created" },
])("transcript: no text of an agent can start a line like one of ours: %o", (event) => {
  const own = event.type === "tool_call" || event.type === "file_change";
  const lines = renderEvent({ color: false, width: 80 }, event).trimEnd().split("\n");
  if (own) expect(lines).toHaveLength(1);
  else for (const line of lines) expect(line).toMatch(/^│ /);
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(80);
});
