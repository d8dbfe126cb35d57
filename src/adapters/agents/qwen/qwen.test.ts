import { expect, test } from "vitest";
import { exampleRun, testAgent } from "../../../testing/suites/agent.suite.ts";
import { qwen } from "./qwen.ts";

const create = () => qwen();

// Printed by qwen 0.24.4.
testAgent("qwen", {
  create,
  lines: [
    ['{"type":"system","subtype":"init","session_id":"s-1"}', [{ type: "session", id: "s-1" }]],
    ['{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}]}}', [{ type: "text", text: "hi" }]],
    [
      '{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":5000,"output_tokens":250,"cache_read_input_tokens":1500,"total_tokens":5250},"structured_result":{"outcome":"done"}}',
      [
        {
          type: "usage",
          tokens: { input: 3500, output: 250, cacheRead: 1500, cacheWrite: 0 },
          costUsd: null,
          model: null,
          scope: "session",
        },
        { type: "outcome", value: { outcome: "done" } },
      ],
    ],
    [
      '{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"[API Error: 401 Incorrect API key provided]"}}',
      [{ type: "error", message: "[API Error: 401 Incorrect API key provided]", failure: "login" }],
    ],
    [
      '{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"[API Error: 400 This model\'s maximum context length is 1000 tokens]"}}',
      [
        {
          type: "error",
          message: "[API Error: 400 This model's maximum context length is 1000 tokens]",
          failure: "context_too_long",
        },
      ],
    ],
    [
      "No saved session found with ID 0f0e0d0c-0b0a-4908-8706-050403020199. Run `qwen --resume` without an ID.",
      [
        {
          type: "error",
          message:
            "No saved session found with ID 0f0e0d0c-0b0a-4908-8706-050403020199. Run `qwen --resume` without an ID.",
          failure: "session_unknown",
        },
      ],
    ],
  ],
});

test("qwen: ignores the configuration of the workspace and reports with the report tool", () => {
  const { argv, env, files } = create().command(exampleRun("implement"));
  expect(argv.slice(0, 2)).toEqual(["qwen", "--bare"]);
  expect(argv).toContain("/r/run_1/agent/mcp.json");
  expect(argv).not.toContain("--json-schema");
  expect(files["/r/run_1/agent/mcp.json"]).toContain("report-outcome.js");
  expect(env).toMatchObject({ OPENAI_BASE_URL: "http://127.0.0.1:3129/v1", OPENAI_API_KEY: "nonce-of-the-run" });
});

test("qwen: without the report tool passes the schema as a file", () => {
  const { argv, files } = create().command(exampleRun("verify", { reportServer: null }));
  expect(argv).toContain("@/r/run_1/agent/schema.json");
  expect(Object.keys(files)).toEqual(["/r/run_1/agent/schema.json"]);
});

test.each([
  [["Bash", "Read", "Edit", "Write"], true, []],
  [["Bash", "Read", "Edit", "Write"], false, ["edit", "notebook_edit"]],
  [["Read", "Grep", "Bash(git log:*)"], false, ["edit", "notebook_edit", "run_shell_command"]],
  [[], true, ["read_file", "edit", "notebook_edit", "run_shell_command"]],
])("qwen: the tools %j with mayWrite %s exclude %j", (tools, mayWrite, excluded) => {
  const { argv } = create().command(exampleRun("review", { tools, mayWrite }));
  expect(argv.filter((_, at) => argv[at - 1] === "--exclude-tools")).toEqual(excluded);
});

test("qwen: resumes a session", () => {
  const { argv } = create().command(exampleRun("plan", { session: { kind: "resume", id: "s-1" } }));
  expect(argv[argv.indexOf("--resume") + 1]).toBe("s-1");
  expect(argv).not.toContain("--session-id");
});
