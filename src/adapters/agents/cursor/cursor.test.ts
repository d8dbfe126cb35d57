import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exampleRun, testAgent } from "../../../testing/suites/agent.suite.ts";
import { cursor } from "./cursor.ts";

// Cursor is not installed here. The sample follows its documentation (cursor.com/docs/cli/reference).
const SAMPLE = readFileSync(new URL("./fixtures/cursor-documented.jsonl", import.meta.url), "utf8");
const SETTINGS = { model: null };

testAgent("cursor", {
  create: () => cursor(SETTINGS),
  lines: [
    [
      '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}',
      [{ type: "text", text: "ab" }],
    ],
    [
      '{"type":"tool_call","subtype":"started","call_id":"1","tool_call":{"function":{"name":"lookup","arguments":"{}"}}}',
      [{ type: "tool_call", id: "1", name: "lookup", input: "{}" }],
    ],
    [
      '{"type":"tool_call","subtype":"completed","call_id":"1","tool_call":{"shellToolCall":{"args":{"command":"x"},"result":{"success":{"exitCode":2,"stdout":"out","stderr":"err"}}}}}',
      [{ type: "tool_result", id: "1", output: "out\nerr", failed: true }],
    ],
    [
      '{"type":"tool_call","subtype":"completed","call_id":"1","tool_call":{"editToolCall":{"args":{"path":"a"},"result":{"rejected":{"reason":"no"}}}}}',
      [{ type: "tool_result", id: "1", output: '{"reason":"no"}', failed: true }],
    ],
    [
      '{"type":"result","subtype":"success","is_error":false,"result":"x","usage":{"inputTokens":5,"outputTokens":2,"cacheReadTokens":1}}',
      [
        {
          type: "usage",
          tokens: { input: 5, output: 2, cacheRead: 1, cacheWrite: 0 },
          costUsd: null,
          model: null,
          scope: "delta",
        },
      ],
    ],
    [
      '{"type":"result","subtype":"error","is_error":true,"result":"You have hit your usage limit"}',
      [
        { type: "limit", kind: "usage", resetsAt: null },
        { type: "error", message: "You have hit your usage limit", failure: "usage_limit" },
      ],
    ],
    [
      "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.",
      [
        {
          type: "error",
          message:
            "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.",
          failure: "login",
        },
      ],
    ],
    ["Errors: none", [{ type: "raw", text: "Errors: none" }]],
  ],
});

describe("cursor", () => {
  it("parses the documented output", () => {
    const lines = SAMPLE.split("\n").filter((line) => line !== "");
    expect(lines.flatMap((line) => cursor(SETTINGS).parseLine(line))).toEqual([
      { type: "session", id: "c6b62c6f-7ead-4fd6-9922-e952131177ff", model: "Some Model", directory: "/repo" },
      { type: "text", text: "I'll read the file first." },
      { type: "tool_call", id: "toolu_1", name: "read", input: { path: "README.md" } },
      { type: "tool_result", id: "toolu_1", output: "# Project\n", failed: false },
      {
        type: "tool_call",
        id: "toolu_2",
        name: "write",
        input: { path: "summary.txt", fileText: "Short.\n", toolCallId: "toolu_2" },
      },
      {
        type: "tool_result",
        id: "toolu_2",
        output: '{"path":"/repo/summary.txt","linesCreated":1,"fileSize":7}',
        failed: false,
      },
      { type: "file_change", path: "summary.txt", change: "modified" },
      { type: "text", text: "Done." },
    ]);
  });

  it("resumes a chat, and never starts MCP servers of the repository", () => {
    const { argv } = cursor(SETTINGS).command(exampleRun("review", { session: { kind: "resume", id: "chat-1" } }));
    expect(argv.join(" ")).toContain("--resume chat-1");
    expect(argv.join(" ")).toContain("--model some-model");
    expect(argv).not.toContain("--approve-mcps");
    expect(cursor(SETTINGS).command(exampleRun("review")).argv).not.toContain("--resume");
  });
});
