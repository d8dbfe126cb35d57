import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import type { AgentRun } from "../../../ports/agent.ts";
import { exampleRun } from "../../../testing/suites/agent.suite.ts";
import { acp } from "./acp.ts";
import type { AcpRules } from "./rules.ts";

const FAKE = fileURLToPath(new URL("./fixtures/acp-agent.js", import.meta.url));

let dir: string;
let workspace: string;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "acp-")));
  workspace = join(dir, "w");
  mkdirSync(workspace);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("ACP client", () => {
  it("opens a session with the report server and the model, without the repository's settings, and prints events", async () => {
    const { code, events } = await drive(
      {
        steps: [
          { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } },
          say("I wri"),
          say("te."),
          {
            sessionUpdate: "tool_call",
            toolCallId: "1",
            title: "Write a",
            kind: "edit",
            status: "pending",
            rawInput: {},
          },
          {
            sessionUpdate: "tool_call_update",
            toolCallId: "1",
            rawInput: { path: "a" },
            content: [{ type: "diff", path: join(workspace, "a"), oldText: null, newText: "x" }],
          },
          { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" },
          { sessionUpdate: "plan", entries: [{ content: "One", status: "completed", priority: "high" }] },
          { sessionUpdate: "something_new", x: 1 },
          { sessionUpdate: "usage_update", used: 5, size: 100, cost: { amount: 0.25, currency: "USD" } },
          "dump",
        ],
        usage: { inputTokens: 10, outputTokens: 2, cachedReadTokens: 3, totalTokens: 12 },
      },
      { mayWrite: true },
    );
    expect(events).toEqual([
      { type: "session", id: "s-1", directory: expect.stringMatching(/\/w$/) },
      { type: "thinking", text: "hm" },
      { type: "text", text: "I write." },
      { type: "tool_call", id: "1", name: "edit", input: { path: "a" } },
      { type: "tool_result", id: "1", output: "", failed: false },
      { type: "file_change", path: "a", change: "created" },
      { type: "text", text: "Plan:\n[x] One" },
      {
        type: "usage",
        tokens: { input: 10, output: 2, cacheRead: 3, cacheWrite: 0 },
        costUsd: 0.25,
        model: null,
        scope: "delta",
      },
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(join(workspace, "requests.json"), "utf8"))).toEqual({
      session: {
        cwd: workspace,
        mcpServers: [
          {
            name: "nightshift",
            command: "/n/node",
            args: ["/m/report-outcome.js", "/r/run_1/agent/report.json"],
            env: [],
          },
        ],
        _meta: { claudeCode: { options: { settingSources: [] } } },
      },
      options: [{ sessionId: "s-1", configId: "m", value: "some-model" }],
    });
  });

  it("answers permission requests according to the rules, each only once", async () => {
    const { events } = await drive(
      { steps: [ask("edit", join(workspace, "a")), ask("edit", "/etc/hosts"), ask("read", "/etc/hosts")] },
      { mayWrite: true },
    );
    expect(texts(events)).toEqual(["answer: yes", "answer: no", "answer: no"]);
    expect(errors(events)).toEqual([
      expect.stringContaining("Not allowed: edit. /etc/hosts is outside the workspace"),
      expect.stringContaining("Not allowed: read."),
    ]);
  });

  it("reports why the agent stopped early", async () => {
    const { code, events } = await drive({ steps: [], stopReason: "refusal" });
    expect(code).toBe(1);
    expect(events.at(-1)).toMatchObject({ type: "error", failure: "refused" });
  });

  it("reports the kind of an error, after earlier text", async () => {
    const step = { error: "Internal error", data: { details: "status 429: slow down" } };
    const { code, events } = await drive({ steps: [say("So far."), step] });
    expect(code).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(["session", "text", "limit", "error"]);
    expect(events.at(-1)).toMatchObject({ failure: "rate_limit" });
  });

  it("reports a missing login", async () => {
    const { code, events } = await drive({ steps: [] }, {}, "login");
    expect([code, events]).toEqual([1, [expect.objectContaining({ type: "error", failure: "login" })]]);
  });

  it("loads a session, ignores the replayed updates and counts only new usage", async () => {
    const cost = { sessionUpdate: "usage_update", used: 1, size: 9, cost: { amount: 0.75, currency: "USD" } };
    const { events } = await drive({ steps: [say("on"), cost] }, { session: { kind: "resume", id: "s-1" } }, "loads");
    expect(texts(events)).toEqual(["on"]);
    expect(events.at(-1)).toMatchObject({ type: "usage", costUsd: 0.25 });
  });

  it.each([
    ["if the agent does not have it", "resumes", "s-2"],
    ["if the agent cannot resume sessions", "", "s-1"],
  ])("reports an unknown session %s", async (_, mode, id) => {
    const { code, events } = await drive({ steps: [] }, { session: { kind: "resume", id } }, mode);
    expect([code, events]).toEqual([1, [expect.objectContaining({ type: "error", failure: "session_unknown" })]]);
  });

  it.each([
    ["before it answered", { steps: [] }, "dies", "code 3"],
    ["during the turn", { steps: [say("Half"), "exit"] }, "", "code 4"],
  ])("reports that the agent ended %s", async (_, prompt, mode, how) => {
    const { code, events } = await drive(prompt, {}, mode);
    expect(code).toBe(1);
    expect(errors(events)).toEqual([expect.stringContaining(how)]);
  });

  it("reports a missing program of the agent", async () => {
    const { code, events } = await drive({ steps: [] }, {}, "", ["/no/such/agent"]);
    expect(code).toBe(1);
    expect(errors(events)).toEqual([expect.stringContaining("/no/such/agent could not be started")]);
  });

  it("treats output that is no protocol message as text", async () => {
    const { code, events } = await drive({ steps: [say("Done.")] }, {}, "garbage");
    expect(code).toBe(0);
    expect(texts(events)).toEqual([
      "Warning: old Node",
      '{"type":"outcome","value":{}}',
      "[1]",
      '{"jsonrpc"',
      "\0",
      "Done.",
    ]);
    expect(events.map(({ type }) => type)).not.toContain("outcome");
  });

  it("skips an oversized message", async () => {
    const { code, events } = await drive({ steps: ["huge", say("Still here.")] });
    expect(code).toBe(0);
    expect(texts(events)).toEqual([expect.stringContaining("32 MB"), "Still here."]);
  });

  it("fails if the agent does not answer", async () => {
    const { code, events } = await drive({ steps: [] }, {}, "mute");
    expect(code).toBe(1);
    expect(errors(events)).toEqual(["The agent did not answer `initialize` within 1 seconds."]);
  });

  it.each([
    ["an agent that obeys the cancellation", "wait"],
    ["an agent that ignores the cancellation", "hang"],
  ])("stops %s within three seconds", async (_, step) => {
    const run = start({ steps: [say("I begin."), step], stopReason: "cancelled" });
    await run.seen("I begin.");
    const killedAt = performance.now();
    run.child.kill("SIGTERM");
    expect((await run.ended).code).toBe(143);
    expect(performance.now() - killedAt).toBeLessThan(3_000);
  });
});

function ask(kind: string, path: string): Record<string, unknown> {
  return { ask: { toolCallId: path, title: kind, kind, locations: [{ path }] } };
}

function say(text: string): Record<string, unknown> {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

function texts(events: readonly TranscriptEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "text" ? event.text : []));
}

function errors(events: readonly TranscriptEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "error" ? event.message : []));
}

async function drive(prompt: unknown, changes: Partial<AgentRun> = {}, mode = "", command?: readonly string[]) {
  return start(prompt, changes, mode, command).ended;
}

/** Starts the agent like the supervisor: with the adapter's command and files, and the prompt on stdin. */
function start(
  prompt: unknown,
  changes: Partial<AgentRun> = {},
  mode = "",
  command: readonly string[] = [process.execPath, FAKE, mode],
) {
  const agent = acp({ command });
  const { argv, env, files } = agent.command(exampleRun("review", { workspace, filesDir: dir, ...changes }));
  for (const [path, text] of Object.entries(files)) {
    const rules: AcpRules = { ...(JSON.parse(text) as AcpRules), startTimeoutMs: mode === "mute" ? 1_000 : 30_000 }; // as the adapter wrote it
    writeFileSync(path, JSON.stringify(rules));
  }
  const [program, ...args] = argv;
  const child = spawn(program, args, { cwd: workspace, env: { PATH: process.env["PATH"], HOME: dir, ...env } });
  child.stdin.end(JSON.stringify(prompt));
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.resume();
  const parse = () =>
    output
      .split("\n")
      .filter((line) => line !== "")
      .flatMap((line) => agent.parseLine(line));
  const ended = new Promise<{ code: number | null; events: readonly TranscriptEvent[] }>((resolve) => {
    child.once("close", (code) => resolve({ code, events: parse() }));
  });
  const seen = async (text: string): Promise<void> => {
    while (!output.includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  return { child, ended, seen };
}
