import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { AgentRun } from "../../../ports/agent.ts";
import { exampleRun, testAgent } from "../../../testing/suites/agent.suite.ts";
import { parseOpencodeLine } from "./lines.ts";
import { opencode } from "./opencode.ts";

const SETTINGS = { model: null };
const create = () => opencode(SETTINGS);

const finish = (reason: string, cost: number) =>
  `{"type":"step_finish","sessionID":"s","part":{"reason":"${reason}","cost":${cost},"tokens":{"input":10,"output":5,"reasoning":2,"cache":{"read":3,"write":1}}}}`;
const counted = (costUsd: number | null) =>
  ({
    type: "usage",
    tokens: { input: 10, output: 7, cacheRead: 3, cacheWrite: 1 },
    costUsd,
    model: null,
    scope: "delta",
  }) as const;

testAgent("opencode", {
  create,
  lines: [
    ['{"type":"step_start","sessionID":"ses_1","part":{}}', [{ type: "session", id: "ses_1" }]],
    ['{"type":"reasoning","sessionID":"s","part":{"text":"hm"}}', [{ type: "thinking", text: "hm" }]],
    [finish("stop", 0.5), [counted(0.5)]],
    // opencode reports a cost of 0 for models without a known price.
    [finish("tool-calls", 0), [counted(null)]],
    [
      finish("content-filter", 0.5),
      [counted(0.5), { type: "error", message: "The model refused to continue.", failure: "refused" }],
    ],
    [
      finish("length", 0.5),
      [counted(0.5), { type: "error", message: "The model's answer was cut off.", failure: null }],
    ],
    [
      '{"type":"error","error":{"name":"ContextOverflowError","data":{"message":"too large"}}}',
      [{ type: "error", message: "too large", failure: "context_too_long" }],
    ],
    ['{"type":"error","error":{"name":"UnknownError"}}', [{ type: "error", message: "UnknownError", failure: null }]],
    [
      '{"type":"error","error":{"name":"APIError","data":{"message":"slow down","statusCode":429}}}',
      [
        { type: "limit", kind: "rate", resetsAt: null },
        { type: "error", message: "slow down", failure: "rate_limit" },
      ],
    ],
    ["Error: Session not found", [{ type: "error", message: "Error: Session not found", failure: "session_unknown" }]],
  ],
});

const STEP = { type: "session" };
const USAGE = {
  type: "usage",
  tokens: { input: 1000, output: 50, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0.00375,
  scope: "delta",
};

describe("opencode: recorded output", () => {
  test.each([
    [
      "basic",
      [
        { type: "session", id: "ses_e1ed00c08ffeIzF2f20IDfsfI2" },
        { type: "text", text: "Writing." },
        { type: "tool_call", id: "call_1_0", name: "write", input: { filePath: "/repo/hello.txt" } },
        { type: "tool_result", id: "call_1_0", output: "Wrote file successfully.", failed: false },
        { type: "file_change", path: "/repo/hello.txt", change: "created" },
        USAGE,
        STEP,
        { type: "tool_call", id: "call_2_0", name: "bash" },
        { type: "tool_result", output: "0c2e16b Add hello\n5432672 init\n", failed: false },
        USAGE,
        STEP,
        { type: "text", text: "Done: committed." },
        USAGE,
      ],
    ],
    ["error-401", [STEP, { type: "error", message: "bad key", failure: "login" }]],
    [
      "mcp",
      [
        STEP,
        { type: "tool_call", name: "nightshift_report_outcome", input: { status: "done", summary: "s" } },
        { type: "tool_result", output: "Outcome recorded: done", failed: false },
        USAGE,
        STEP,
        { type: "text", text: "end" },
        USAGE,
      ],
    ],
    [
      "permission",
      [
        STEP,
        { type: "tool_call", name: "write" },
        { type: "tool_result", failed: false },
        { type: "file_change", path: "/repo/a.txt", change: "created" },
        USAGE,
        STEP,
        { type: "tool_call", name: "bash", input: { command: "touch b.txt" } },
        { type: "tool_result", output: expect.stringMatching(/^The user has specified a rule/), failed: true },
        USAGE,
        STEP,
        { type: "tool_call", name: "bash" },
        { type: "tool_result", output: "(no output)", failed: false },
        USAGE,
        STEP,
        { type: "text", text: "end" },
        USAGE,
      ],
    ],
    ["resume", [{ type: "session", id: "ses_e1ecf5531ffeOPO0UH99dejwjq" }, { type: "text", text: "second" }, USAGE]],
  ])("%s", (name, expected) => {
    expect(eventsOf(name)).toMatchObject(expected);
  });
});

describe("opencode: command", () => {
  it("disables the workspace's configuration as far as possible", () => {
    const { argv, env } = commandOf();
    expect(argv).toContain("--pure");
    expect(env).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: "true", OPENCODE_DISABLE_CLAUDE_CODE: "true" });
  });

  it("reports every file of a patch as a file change", () => {
    const files = [
      { filePath: "/repo/new.txt", type: "add" },
      { filePath: "/repo/old.txt", type: "delete" },
      { filePath: "/repo/other.txt", type: "update" },
    ];
    const state = { status: "completed", input: {}, output: "Success.", metadata: { files } };
    const line = { type: "tool_use", part: { tool: "apply_patch", callID: "call_1", state } };
    expect(parseOpencodeLine(JSON.stringify(line)).slice(2)).toEqual([
      { type: "file_change", path: "/repo/new.txt", change: "created" },
      { type: "file_change", path: "/repo/old.txt", change: "deleted" },
      { type: "file_change", path: "/repo/other.txt", change: "modified" },
    ]);
  });

  it("configures one model behind the gateway, and the report server", () => {
    const { argv } = commandOf();
    expect(argv.join(" ")).toContain("--model nightshift/some-model");
    expect(configOf()).toMatchObject({
      enabled_providers: ["nightshift"],
      provider: { nightshift: { options: { baseURL: "http://127.0.0.1:3129/v1", apiKey: "nonce-of-the-run" } } },
      mcp: { nightshift: { type: "local", command: ["/n/node", "/m/report-outcome.js", expect.any(String)] } },
    });
  });

  it("never uses the permission ask, which would end the run early with success", () => {
    expect(JSON.stringify(configOf()["permission"])).not.toContain('"ask"');
    expect(configOf()["permission"]).toMatchObject({ "*": "allow", edit: "allow", bash: "allow", task: "deny" });
  });

  it("denies edits in read-only roles, and allows the listed shell commands", () => {
    expect(configOf({ mayWrite: false, tools: ["Read", "Bash(git log:*)"] })["permission"]).toMatchObject({
      edit: "deny",
      bash: { "*": "deny", "git log*": "allow" },
    });
  });

  it("resumes a session by its id, and cannot choose the id of a new one", () => {
    expect(commandOf().argv).not.toContain("--session");
    const { argv, read } = commandOf({ session: { kind: "resume", id: "ses_1" } });
    expect(argv.slice(-2)).toEqual(["--session", "ses_1"]);
    // The session is moved to this run's folder first, in the store of the home that all runs share.
    const [program, store, session, folder] = argv.slice(5);
    expect(read).toEqual([process.execPath, program]);
    expect([store, session, folder]).toEqual(["/h/task_1/role/.local/share/opencode/opencode.db", "ses_1", "/w/run_1"]);
  });

  it("fails without a model", () => {
    expect(() => commandOf({ model: null })).toThrow("The agent opencode needs a model.");
    const named = opencode({ ...SETTINGS, model: "own" }).command(exampleRun("implement", { model: null }));
    expect(named.argv).toContain("nightshift/own");
    expect(commandOf({ model: null, gateway: null }).argv).not.toContain("--model");
  });
});

function commandOf(changes: Partial<AgentRun> = {}) {
  return create().command(exampleRun("implement", changes));
}

function configOf(changes: Partial<AgentRun> = {}) {
  return JSON.parse(commandOf(changes).env["OPENCODE_CONFIG_CONTENT"] ?? "") as Record<string, unknown>;
}

function eventsOf(name: string) {
  const text = readFileSync(join(import.meta.dirname, "fixtures", `opencode-${name}.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .flatMap((line) => create().parseLine(line));
}
