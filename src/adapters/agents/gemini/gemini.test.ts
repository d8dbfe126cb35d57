import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { AgentRun } from "../../../ports/agent.ts";
import { exampleRun, testAgent } from "../../../testing/suites/agent.suite.ts";
import { gemini } from "./gemini.ts";

const SETTINGS = { model: null };
const create = () => gemini(SETTINGS);

const STATS =
  '"stats":{"models":{"m":{"total_tokens":1500,"input_tokens":1000,"output_tokens":50,"cached":400,"input":600}}}';
const COUNTED = {
  type: "usage",
  // 450 of the total are thoughts.
  tokens: { input: 600, output: 500, cacheRead: 400, cacheWrite: 0 },
  costUsd: null,
  model: "m",
  scope: "delta",
} as const;

testAgent("gemini", {
  create,
  lines: [
    [
      '{"type":"init","session_id":"4842","model":"gemini-2.5-pro"}',
      [{ type: "session", id: "4842", model: "gemini-2.5-pro" }],
    ],
    ['{"type":"message","role":"user","content":"the prompt"}', []],
    [
      '{"type":"message","role":"assistant","content":"Hi","delta":true}',
      [{ type: "text", text: "Hi", partial: true }],
    ],
    [`{"type":"result","status":"success",${STATS}}`, [COUNTED]],
    [
      `{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"Reached max session turns"},${STATS}}`,
      [COUNTED, { type: "error", message: "Reached max session turns", failure: "max_turns" }],
    ],
    [
      '{"type":"result","status":"error"}',
      [{ type: "error", message: "Gemini ended with an unknown error.", failure: null }],
    ],
    [
      '{"type":"error","severity":"warning","message":"Loop detected"}',
      [{ type: "error", message: "Loop detected", failure: null }],
    ],
    [
      'Error resuming session: Invalid session identifier "0f0e".',
      [
        {
          type: "error",
          message: 'Error resuming session: Invalid session identifier "0f0e".',
          failure: "session_unknown",
        },
      ],
    ],
  ],
});

describe("gemini: recorded output", () => {
  test.each([
    [
      "basic",
      [
        { type: "session", id: "4842974d-065b-4ce5-b3c8-063adf23ff3f" },
        { type: "text", text: "Writing." },
        { type: "tool_call", name: "write_file", input: { file_path: "/repo/hello.txt" } },
        { type: "tool_result", output: "", failed: false },
        { type: "tool_call", name: "run_shell_command" },
        { type: "tool_result", output: "52b3a50 Add hello\n696a33e init", failed: false },
        { type: "text", text: "Done: committed." },
        { type: "usage", tokens: { input: 3000, output: 150, cacheRead: 0, cacheWrite: 0 }, model: "gemini-2.5-pro" },
      ],
    ],
    [
      "denied",
      [
        { type: "session" },
        { type: "tool_call", name: "write_file" },
        { type: "tool_result", output: expect.stringMatching(/^Tool "write_file" not found/), failed: true },
        { type: "tool_call", name: "run_shell_command" },
        { type: "tool_result", failed: true },
        { type: "text", text: "end" },
        { type: "usage" },
      ],
    ],
    [
      "error-401",
      [
        { type: "session" },
        { type: "usage", tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
        { type: "error", message: expect.stringContaining("API key not valid"), failure: "login" },
      ],
    ],
    // It retried without output until it was stopped.
    ["error-429", [{ type: "session" }]],
    [
      "mcp",
      [
        { type: "session" },
        { type: "tool_call", name: "mcp_nightshift_report_outcome", input: { status: "done", summary: "s" } },
        { type: "tool_result", output: "Outcome recorded: done", failed: false },
        { type: "text", text: "end" },
        { type: "usage" },
      ],
    ],
    [
      "resume",
      [
        { type: "session", id: "0082923a-218d-4236-b5db-c96a2d29296b" },
        { type: "text", text: "second" },
        { type: "usage", tokens: { input: 1000, output: 50, cacheRead: 0, cacheWrite: 0 }, scope: "delta" },
      ],
    ],
  ])("%s", (name, expected) => {
    expect(eventsOf(name)).toMatchObject(expected);
  });
});

describe("gemini: command", () => {
  it("trusts the workspace only by the flag, which takes effect after the settings are read", () => {
    const { argv, env } = commandOf();
    expect(argv).toContain("--skip-trust");
    expect(env).not.toHaveProperty("GEMINI_CLI_TRUST_WORKSPACE");
    expect(env["GEMINI_CLI_NO_RELAUNCH"]).toBe("true");
  });

  it("stores sessions under the same name for every workspace", () => {
    const [first, second] = ["/w/run_1", "/w/run_2"].map((workspace) => commandOf({ workspace }).files);
    expect(Object.keys(first ?? {})).toEqual(Object.keys(second ?? {}));
    const registry = Object.entries(second ?? {}).find(([path]) => path.endsWith("projects.json"))?.[1] ?? "";
    expect(JSON.parse(registry)).toEqual({ projects: { "/w/run_2": "workspace" } });
    expect(Object.entries(second ?? {}).filter(([path]) => path.endsWith("workspace/.project_root"))).toHaveLength(2);
  });

  it("calls its model through the gateway, whose address is not written to a file", () => {
    const { env, files } = commandOf();
    expect(env).toMatchObject({ GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:3129", GEMINI_API_KEY: "nonce-of-the-run" });
    expect(JSON.stringify(files)).not.toMatch(/3129|nonce/);
  });

  it("disables hooks, extensions, skills, the workspace's .env and other MCP servers", () => {
    const { argv } = commandOf();
    expect(argv.join(" ")).toContain("--extensions none --allowed-mcp-server-names nightshift");
    expect(settingsOf()).toMatchObject({
      hooksConfig: { enabled: false },
      skills: { enabled: false },
      security: { auth: { useExternal: true } },
      mcp: { allowed: ["nightshift"] },
      mcpServers: { nightshift: { command: "/n/node", trust: true } },
      model: { maxSessionTurns: 5 },
    });
  });

  it("excludes write tools from read-only roles, and the shell from roles without it", () => {
    expect(toolsOf({})).toEqual({ exclude: ["google_web_search", "web_fetch", "save_memory"] });
    expect(toolsOf({ mayWrite: false, tools: ["Read", "Bash(git log:*)"] })).toEqual({
      exclude: ["google_web_search", "web_fetch", "save_memory", "write_file", "replace"],
    });
    expect(toolsOf({ tools: ["Read"] })).toEqual({
      exclude: ["google_web_search", "web_fetch", "save_memory", "run_shell_command"],
    });
  });

  it("starts a session with our id, and resumes one", () => {
    const { id } = exampleRun("implement").session;
    expect(commandOf().argv.slice(-2)).toEqual(["--session-id", id]);
    expect(commandOf({ session: { kind: "resume", id } }).argv.slice(-2)).toEqual(["--resume", id]);
  });
});

function commandOf(changes: Partial<AgentRun> = {}) {
  return create().command(exampleRun("implement", changes));
}

function settingsOf(changes: Partial<AgentRun> = {}) {
  const { files } = commandOf(changes);
  return JSON.parse(files["/h/task_1/role/.gemini/settings.json"] ?? "") as Record<string, unknown>;
}

function toolsOf(changes: Partial<AgentRun>) {
  return settingsOf(changes)["tools"];
}

function eventsOf(name: string) {
  const text = readFileSync(join(import.meta.dirname, "fixtures", `gemini-${name}.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .flatMap((line) => create().parseLine(line));
}
