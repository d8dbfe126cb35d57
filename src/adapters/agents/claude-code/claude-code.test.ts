import { describe, expect, test } from "vitest";
import { exampleRun, testAgent } from "../../../testing/suites/agent.suite.ts";
import { claudeCode } from "./claude-code.ts";
import { readTools } from "./tools.ts";

const create = () => claudeCode();

testAgent("claude-code", {
  create,
  lines: [
    ['{"type":"system","subtype":"init","session_id":"s-1"}', [{ type: "session", id: "s-1" }]],
    ['{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}]}}', [{ type: "text", text: "hi" }]],
    [
      '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}',
      [{ type: "tool_call", id: "t", name: "Bash", input: { command: "ls" } }],
    ],
    [
      '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"no","is_error":true}]}}',
      [{ type: "tool_result", id: "t", output: "no", failed: true }],
    ],
    [
      '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":4,"error_status":429,"error":"rate_limit"}',
      [{ type: "limit", kind: "rate", resetsAt: null }],
    ],
    [
      '{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached it"]}',
      [{ type: "error", message: "Reached it", failure: "max_turns" }],
    ],
  ],
});

function valueOf(argv: readonly string[], flag: string): string | undefined {
  const at = argv.indexOf(flag);
  return at < 0 ? undefined : argv[at + 1];
}

describe("claude-code: command", () => {
  test("ignores settings, hooks and MCP servers of the workspace, and never asks for permission", () => {
    const { argv, files } = create().command(exampleRun("implement"));
    expect(argv).toContain("--strict-mcp-config");
    expect(valueOf(argv, "--setting-sources")).toBe("");
    expect(valueOf(argv, "--permission-mode")).toBe("dontAsk");
    expect(valueOf(argv, "--settings")).toBe("/r/run_1/agent/settings.json");
    expect(Object.keys(files)).toEqual(["/r/run_1/agent/settings.json", "/r/run_1/agent/mcp.json"]);
    expect(argv.filter((arg) => /bare|safe-mode|bypass|dangerously/.test(arg))).toEqual([]);
  });

  test("installs a guard that blocks on failure and whose files are readable in the sandbox", () => {
    const { files, read } = create().command(exampleRun("implement"));
    const settings = files["/r/run_1/agent/settings.json"] ?? "";
    expect(settings).toContain('"onFailure":"block"');
    for (const path of read) expect(settings).toContain(path);
    expect(settings).toContain(String.raw`\"workspace\":\"/w/run_1\"`);
  });

  test("reports with the report tool, which needs no tool search and no permission", () => {
    const { argv, files, env } = create().command(exampleRun("verify"));
    const server = { type: "stdio", command: "/n/node", args: ["/m/report-outcome.js", "/r/run_1/agent/report.json"] };
    expect(JSON.parse(files["/r/run_1/agent/mcp.json"] ?? "")).toEqual({
      mcpServers: { nightshift: { ...server, env: {}, alwaysLoad: true } },
    });
    expect(argv).toContain("mcp__nightshift__report_outcome");
    expect(argv).not.toContain("--json-schema");
    expect(env["ENABLE_TOOL_SEARCH"]).toBe("false");
  });

  test("without the report tool uses structured output, if the schema allows it", () => {
    const alone = { reportServer: null };
    const command = create().command(exampleRun("verify", alone));
    expect(JSON.parse(valueOf(command.argv, "--json-schema") ?? "")).toMatchObject({ type: "object" });
    expect(command.argv).not.toContain("--mcp-config");
    expect(Object.keys(command.files)).toEqual(["/r/run_1/agent/settings.json"]);
    const unfit = [{ type: "object", anyOf: [] }, { oneOf: [] }, { type: "object", title: "x".repeat(40_000) }];
    for (const schema of unfit)
      expect(create().command(exampleRun("verify", { ...alone, schema })).argv).not.toContain("--json-schema");
  });

  test("starts or resumes a session", () => {
    const id = "0f0e0d0c-0b0a-4908-8706-050403020100";
    const started = create().command(exampleRun("plan")).argv;
    const resumed = create().command(exampleRun("plan", { session: { kind: "resume", id } })).argv;
    expect([valueOf(started, "--session-id"), valueOf(started, "--resume")]).toEqual([id, undefined]);
    expect([valueOf(resumed, "--session-id"), valueOf(resumed, "--resume")]).toEqual([undefined, id]);
  });

  test("passes limits and a model only if they are set", () => {
    const all = create().command(exampleRun("plan")).argv;
    expect(["--model", "--max-turns", "--max-budget-usd"].map((flag) => valueOf(all, flag))).toEqual([
      "some-model",
      "5",
      "1",
    ]);
    const none = create().command(exampleRun("plan", { model: null, maxTurns: null, maxBudgetUsd: null })).argv;
    expect(none.filter((arg) => /^--(model|max)/.test(arg))).toEqual([]);
  });

  test("uses the gateway, and keeps its configuration in the run's home", () => {
    const { env } = create().command(exampleRun("plan"));
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:3129",
      ANTHROPIC_API_KEY: "nonce-of-the-run",
      CLAUDE_CONFIG_DIR: "/h/task_1/role/.claude",
    });
    const alone = create().command(exampleRun("plan", { gateway: null })).env;
    expect(Object.keys(alone).filter((name) => name.startsWith("ANTHROPIC"))).toEqual([]);
  });

  test("passes the nonce as an OAuth token for subscriptions, so that claude reports when a limit resets", () => {
    const gateway = { url: "http://127.0.0.1:3129", key: "nonce-of-the-run", keyKind: "token" } as const;
    const { env } = create().command(exampleRun("plan", { gateway }));
    expect(env).toMatchObject({ ANTHROPIC_BASE_URL: gateway.url, CLAUDE_CODE_OAUTH_TOKEN: gateway.key });
    expect(env).not.toHaveProperty("ANTHROPIC_API_KEY");
  });
});

describe("claude-code: tools", () => {
  test("a reviewing role gets only the listed shell commands", () => {
    const tools = ["Read", "Grep", "Bash(git log:*)", "Bash(git diff:*)", "Edit", "Write"];
    expect(readTools(tools, false)).toEqual({
      names: ["Read", "Grep", "Bash"],
      allowed: ["Read", "Grep", "Bash(git log:*)", "Bash(git diff:*)"],
      shell: ["git log:*", "git diff:*"],
    });
    const { argv, files } = create().command(exampleRun("review", { tools }));
    expect(valueOf(argv, "--tools")).toBe("Read,Grep,Bash");
    expect(files["/r/run_1/agent/settings.json"]).toContain(String.raw`\"shell\":[\"git log:*\",\"git diff:*\"]`);
  });

  test.each([
    [["Bash", "Bash(git log:*)"], null],
    [["Bash(*)"], null],
    [["Read"], []],
    [[], []],
    [["Bash(npm test)"], ["npm test"]],
  ])("%j restricts the shell to %j", (tools, shell) => {
    expect(readTools(tools, true).shell).toEqual(shell);
  });

  test("invalid tool names are dropped and cannot become flags", () => {
    expect(readTools(["--dangerously-skip-permissions", "Read,Write", "", "-p"], true).names).toEqual([]);
    expect(valueOf(create().command(exampleRun("plan", { tools: [] })).argv, "--tools")).toBe("");
  });
});
