import { expect, test } from "vitest";
import type { TranscriptEventJson } from "../../http/client/client.ts";
import { renderEvent } from "./transcript.ts";

const plain = { color: false };

test.for<[TranscriptEventJson, string]>([
  [{ type: "text", text: "I read \u001b]0;owned\u0007the code." }, "I read the code.\n"],
  [{ type: "tool_call", id: "1", name: "Bash", input: { command: "npm test" } }, '▸ Bash {"command":"npm test"}\n'],
  [{ type: "tool_result", id: "1", output: "2 passed", failed: false }, "2 passed\n"],
  [{ type: "file_change", path: "a\nb", change: "created" }, "created a b\n"],
  [
    {
      type: "usage",
      tokens: { input: 10, output: 2, cache_read: 0, cache_write: 0 },
      cost_usd: null,
      model: null,
      scope: "delta",
    },
    "  10 in, 2 out, unknown\n",
  ],
  [{ type: "limit", kind: "usage", resets_at: "2026-11-16T02:00:00Z" }, "  usage limit until 2026-11-16T02:00:00Z\n"],
  [{ type: "session", id: "s" }, ""],
  [{ type: "error", message: "no key", failure: "login" }, "no key\n"],
])("transcript: %o", ([event, text]) => {
  expect(renderEvent(plain, event)).toBe(text);
});

test("transcript: colours are used only if enabled", () => {
  expect(renderEvent({ color: true }, { type: "error", message: "no", failure: null })).toBe(
    "\u001b[31mno\u001b[39m\n",
  );
});
