import { describe, expect, test } from "vitest";
import { parseClaudeLine } from "./lines.ts";

const line = (value: object) => parseClaudeLine(JSON.stringify(value));
const END = { type: "result", subtype: "success", is_error: true, terminal_reason: "api_error" };

describe("failures", () => {
  // Printed by claude 2.1.325.
  test.each([
    [{ api_error_status: 401, result: "Invalid API key · Fix external API key" }, "login"],
    [{ api_error_status: 403, result: "Failed to authenticate. API Error: 403 no" }, "login"],
    [{ api_error_status: 400, result: "Credit balance is too low" }, "usage_limit"],
    [{ api_error_status: 429, result: "API Error: Request rejected (429) · slow down" }, "rate_limit"],
    [{ api_error_status: 429, api_error: "usage_limit_reached", result: "You've hit your limit" }, "usage_limit"],
    [{ api_error_status: 500, result: "API Error: 500" }, "overloaded"],
    [{ api_error_status: null, api_error: "connection_failed", result: "API Error: Connection refused" }, "network"],
    [{ api_error_status: 404, result: "There's an issue with the selected model (x)." }, null],
    [{ api_error_status: 400, result: "no such thing: 401" }, null],
    [{ stop_reason: "refusal", result: "API Error: it can't help with this" }, "refused"],
    [
      {
        subtype: "error_during_execution",
        terminal_reason: undefined,
        errors: ["No conversation found with session ID: 1"],
      },
      "session_unknown",
    ],
  ])("%j is %s", (fields, failure) => {
    expect(line({ ...END, ...fields }).at(-1)).toMatchObject({ type: "error", failure });
  });

  test("a successful result has no failure, whatever its text", () => {
    expect(line({ ...END, is_error: false, result: "API Error: 401", api_error_status: 401 })).toEqual([]);
  });

  test("a session id in use is detected by a plain line on stderr", () => {
    const message = "Error: Session ID 0f0e0d0c-0b0a-4908-8706-050403020101 is already in use.";
    expect(parseClaudeLine(message)).toEqual([{ type: "error", message, failure: "session_unknown" }]);
    expect(parseClaudeLine(`It said: ${message}`)[0]?.type).toBe("raw");
  });
});

test("guessed prices and negative amounts are ignored", () => {
  const known = { inputTokens: 10, outputTokens: -5, cacheReadInputTokens: "7", costUSD: 0.5 };
  const models = { a: { ...known, costBasis: "list" }, b: { ...known, costBasis: "unknown" }, c: 7 };
  const events = line({ type: "result", subtype: "success", is_error: false, model_usage_since_last_result: models });
  const tokens = { input: 10, output: 0, cacheRead: 0, cacheWrite: 0 };
  expect(events).toEqual([
    { type: "usage", tokens, costUsd: 0.5, model: "a", scope: "delta" },
    { type: "usage", tokens, costUsd: null, model: "b", scope: "delta" },
    { type: "usage", tokens: { ...tokens, input: 0 }, costUsd: null, model: "c", scope: "delta" },
  ]);
});

test("cached tokens are subtracted from the input of CLIs that count like OpenAI", () => {
  const usage = { input_tokens: 100, cache_read_input_tokens: 80, output_tokens: 5 };
  const result = { type: "result", subtype: "success", is_error: false };
  const tokens = { input: 100, output: 5, cacheRead: 80, cacheWrite: 0 };
  expect(line({ ...result, usage })).toMatchObject([{ tokens, scope: "delta" }]);
  const whole = { ...usage, total_tokens: 105 };
  expect(line({ ...result, usage: whole })).toMatchObject([{ tokens: { ...tokens, input: 20 }, scope: "session" }]);
});

const limit = (info: object) =>
  line({ type: "rate_limit_event", rate_limit_info: { resetsAt: 1_800_000_000, ...info } });

test("only a reached limit is reported", () => {
  expect(limit({ status: "allowed_warning" })).toEqual([]);
  expect(limit({ status: "rejected", isUsingOverage: true })).toEqual([]);
  expect(limit({ status: "rejected" })).toEqual([{ type: "limit", kind: "usage", resetsAt: 1_800_000_000_000 }]);
  expect(limit({ status: "rejected", resetsAt: "soon" })).toEqual([{ type: "limit", kind: "usage", resetsAt: null }]);
});

const used = (result: object) =>
  line({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] },
    tool_use_result: result,
  }).slice(1);

test("editing a file reports a file change, reading does not", () => {
  expect(used({ filePath: "/w/a", oldString: "x", newString: "y", structuredPatch: [] })).toEqual([
    { type: "file_change", path: "/w/a", change: "modified" },
  ]);
  expect(used({ type: "text", file: { filePath: "/w/a" } })).toEqual([]);
});

test("an MCP server that did not start is reported as an error", () => {
  const servers = [{ name: "nightshift", status: "failed" }, { name: "other", status: "connected" }, null];
  expect(line({ type: "system", subtype: "init", session_id: "s", mcp_servers: servers })).toEqual([
    { type: "session", id: "s" },
    { type: "error", message: "The MCP server nightshift did not start.", failure: null },
  ]);
});

test("images in a tool result are replaced by their type", () => {
  const content = [{ type: "text", text: "a" }, { type: "image", source: {} }, null];
  const message = { content: [{ type: "tool_result", tool_use_id: "t", content }] };
  expect(line({ type: "user", message })).toEqual([
    { type: "tool_result", id: "t", output: "a\n[image]\n", failed: false },
  ]);
});

test("the first line says what the session works with, as far as it is valid", () => {
  const init = { type: "system", subtype: "init", session_id: "s" };
  const known = {
    claude_code_version: "2.1.325",
    model: "claude-sonnet-5-5",
    tools: ["Read", 7, "Bash"],
    cwd: "/repo",
  };
  expect(line({ ...init, ...known })).toEqual([
    {
      type: "session",
      id: "s",
      version: "2.1.325",
      model: "claude-sonnet-5-5",
      tools: ["Read", "Bash"],
      directory: "/repo",
    },
  ]);
  expect(line({ ...init, claude_code_version: 2, model: null, tools: "Read", cwd: [] })).toEqual([
    { type: "session", id: "s" },
  ]);
});
