import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { AgentRun } from "../../../ports/agent.ts";
import { exampleRun, testAgent } from "../../../testing/suites/agent.suite.ts";
import { codex } from "./codex.ts";

const SETTINGS = { model: null };
const create = () => codex(SETTINGS);

const USAGE =
  '{"type":"turn.completed","usage":{"input_tokens":4000,"cached_input_tokens":500,"cache_write_input_tokens":100,"output_tokens":150}}';

testAgent("codex", {
  create,
  lines: [
    ['{"type":"thread.started","thread_id":"01a1"}', [{ type: "session", id: "01a1" }]],
    ['{"type":"turn.started"}', []],
    [
      '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"{\\"outcome\\":\\"implemented\\",\\"n\\":1}"}}',
      [
        { type: "text", text: '{"outcome":"implemented","n":1}' },
        { type: "outcome", value: { outcome: "implemented", n: 1 } },
      ],
    ],
    [
      '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"```json\\n{\\"outcome\\":\\"implemented\\"}\\n```"}}',
      [
        { type: "text", text: '```json\n{"outcome":"implemented"}\n```' },
        { type: "outcome", value: { outcome: "implemented" } },
      ],
    ],
    [
      '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"The file says:\\n```json\\n{\\"outcome\\":\\"implemented\\"}\\n```"}}',
      [{ type: "text", text: 'The file says:\n```json\n{"outcome":"implemented"}\n```' }],
    ],
    // Neither a report with text around it nor any other JSON object is an outcome.
    [
      '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"So: {\\"outcome\\":\\"implemented\\"}"}}',
      [{ type: "text", text: 'So: {"outcome":"implemented"}' }],
    ],
    [
      '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"{\\"outcome\\":7}"}}',
      [{ type: "text", text: '{"outcome":7}' }],
    ],
    [
      USAGE,
      [
        {
          type: "usage",
          tokens: { input: 3400, output: 150, cacheRead: 500, cacheWrite: 100 },
          costUsd: null,
          model: null,
          scope: "session",
        },
      ],
    ],
    [
      '{"type":"item.completed","item":{"id":"i","type":"file_change","changes":[{"path":"/repo/a","kind":"delete"}],"status":"failed"}}',
      [],
    ],
    [
      "Error: thread/resume: thread/resume failed: no rollout found for thread id 0f0e (code -32600)",
      [
        {
          type: "error",
          message: "Error: thread/resume: thread/resume failed: no rollout found for thread id 0f0e (code -32600)",
          failure: "session_unknown",
        },
      ],
    ],
  ],
});

const WARNING = { type: "error", message: expect.stringMatching(/^Model metadata/), failure: null };

describe("codex: recorded output", () => {
  test.each([
    [
      "basic",
      [
        { type: "session", id: "01a1e12c-0cf2-7350-beb6-e08b5fdf1396" },
        WARNING,
        { type: "thinking", text: "**Planning** the work" },
        { type: "text", text: "Creating file." },
        { type: "file_change", path: "/repo/hello.txt", change: "created" },
        { type: "text", text: "Done: hello.txt committed." },
        { type: "usage", tokens: { input: 3500, output: 150, cacheRead: 500, cacheWrite: 0 }, scope: "session" },
      ],
    ],
    [
      "command-failures",
      [
        { type: "session" },
        WARNING,
        { type: "tool_call", id: "item_1", name: "shell", input: { command: "/bin/bash -lc 'exit 3'" } },
        { type: "tool_result", id: "item_1", output: "", failed: true },
        { type: "tool_call", id: "item_2" },
        { type: "tool_result", id: "item_2", output: expect.stringContaining("cannot access 'nope'"), failed: true },
        { type: "text", text: "end" },
        { type: "usage" },
      ],
    ],
    [
      "error-401",
      [
        { type: "session" },
        WARNING,
        { type: "error", message: expect.stringMatching(/^Reconnecting/), failure: null },
        { type: "error", failure: null },
        { type: "error", message: expect.stringContaining("401 Unauthorized: bad key"), failure: "login" },
      ],
    ],
    [
      "error-429",
      [
        { type: "session" },
        WARNING,
        { type: "error", failure: null },
        { type: "limit", kind: "rate", resetsAt: null },
        { type: "error", failure: "rate_limit" },
      ],
    ],
    [
      "mcp",
      [
        { type: "session" },
        WARNING,
        { type: "tool_call", name: "nightshift.report_outcome", input: { status: "done", summary: "ok" } },
        { type: "tool_result", output: "Outcome recorded: done", failed: false },
        { type: "text", text: "end" },
        { type: "usage" },
      ],
    ],
    ["output-schema", [{ type: "session" }, WARNING, { type: "text", text: '{"status":"done"}' }, { type: "usage" }]],
    [
      "resume",
      [
        { type: "session", id: "01a1e12c-9708-7003-9482-79c648bd0124" },
        WARNING,
        { type: "text", text: "second" },
        { type: "usage", tokens: { input: 2000, output: 100, cacheRead: 0, cacheWrite: 0 }, scope: "session" },
      ],
    ],
  ])("%s", (name, expected) => {
    expect(eventsOf(name)).toMatchObject(expected);
  });
});

describe("codex: command", () => {
  it("passes its configuration and the gateway's address as arguments, and the nonce in the environment", () => {
    const { argv, env, files } = commandOf();
    const config = argv.filter((_, at) => argv[at - 1] === "-c");
    expect(argv.slice(0, 3)).toEqual(["codex", "exec", "--json"]);
    expect(argv).toContain("--ignore-user-config");
    expect(argv.at(-1)).toBe("-");
    expect(config).toEqual(
      expect.arrayContaining([
        'approval_policy="never"',
        'model_providers.nightshift.base_url="http://127.0.0.1:3129/v1"',
        "mcp_servers.nightshift.required=true",
        'mcp_servers.nightshift.default_tools_approval_mode="approve"',
        'mcp_servers.nightshift.args=["/m/report-outcome.js","/r/run_1/agent/report.json"]',
        "features.hooks=false",
      ]),
    );
    expect(env).toEqual({ NIGHTSHIFT_MODEL_KEY: "nonce-of-the-run" });
    expect(argv.join(" ")).not.toContain("nonce-of-the-run");
    expect(Object.keys(files)).toEqual(["/r/run_1/agent/codex-schema.json"]);
    // OpenAI only accepts strict schemas.
    expect(Object.values(files).map((text) => JSON.parse(text))).toMatchObject([{ additionalProperties: false }]);
  });

  it("does not trust the workspace, even with special characters in its path", () => {
    const { argv } = commandOf({ workspace: '/w/a "b".c' });
    expect(argv).toContain(String.raw`projects={"/w/a \"b\".c" = {"trust_level" = "untrusted"}}`);
  });

  it("resumes a session by its id", () => {
    const { argv } = commandOf({ session: { kind: "resume", id: "01a1" } });
    expect(argv.slice(-3)).toEqual(["resume", "01a1", "-"]);
  });

  it("omits options that are not set", () => {
    const { argv, env } = commandOf({
      model: null,
      gateway: null,
      reportServer: null,
    });
    expect(argv.join(" ")).not.toMatch(/-m |model_provider|mcp_servers/);
    expect(env).toEqual({});
  });
});

function commandOf(changes: Partial<AgentRun> = {}) {
  return create().command(exampleRun("implement", changes));
}

function eventsOf(name: string) {
  const text = readFileSync(join(import.meta.dirname, "fixtures", `codex-${name}.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .flatMap((line) => create().parseLine(line));
}
