import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";
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

describe("the client of ACP agents", () => {
  it("opens a session with our server and the model, without the repository's settings, and tells what happens", async () => {
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
      { type: "session", id: "s-1" },
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
    expect(JSON.parse(readFileSync(join(workspace, "asked.json"), "utf8"))).toEqual({
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

  it("answers requests for permission by rule, once at a time", async () => {
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

  it("says what it means that the agent stopped early", async () => {
    const { code, events } = await drive({ steps: [], stopReason: "refusal" });
    expect(code).toBe(1);
    expect(events.at(-1)).toMatchObject({ type: "error", failure: "refused" });
  });

  it("tells what kind of error it was, after what was said before it", async () => {
    const step = { error: "Internal error", data: { details: "status 429: slow down" } };
    const { code, events } = await drive({ steps: [say("So far."), step] });
    expect(code).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(["session", "text", "limit", "error"]);
    expect(events.at(-1)).toMatchObject({ failure: "rate_limit" });
  });

  it("says that nobody is logged in", async () => {
    const { code, events } = await drive({ steps: [] }, {}, "login");
    expect([code, events]).toEqual([1, [expect.objectContaining({ type: "error", failure: "login" })]]);
  });

  it("takes up a session that is told again from its beginning, and counts only what is new", async () => {
    const cost = { sessionUpdate: "usage_update", used: 1, size: 9, cost: { amount: 0.75, currency: "USD" } };
    const { events } = await drive({ steps: [say("on"), cost] }, { session: { kind: "resume", id: "s-1" } }, "loads");
    expect(texts(events)).toEqual(["on"]);
    expect(events.at(-1)).toMatchObject({ type: "usage", costUsd: 0.25 });
  });

  it.each([
    ["that is not there any more", "resumes", "s-2"],
    ["where the agent keeps none", "", "s-1"],
  ])("says that a session cannot be taken up %s", async (_, way, id) => {
    const { code, events } = await drive({ steps: [] }, { session: { kind: "resume", id } }, way);
    expect([code, events]).toEqual([1, [expect.objectContaining({ type: "error", failure: "session_unknown" })]]);
  });

  it.each([
    ["before it answers", { steps: [] }, "dies", "code 3"],
    ["at work", { steps: [say("Half"), "exit"] }, "", "code 4"],
  ])("says that an agent died %s", async (_, prompt, way, how) => {
    const { code, events } = await drive(prompt, {}, way);
    expect(code).toBe(1);
    expect(errors(events)).toEqual([expect.stringContaining(how)]);
  });

  it("says that the agent's program is not there", async () => {
    const { code, events } = await drive({ steps: [] }, {}, "", ["/no/such/agent"]);
    expect(code).toBe(1);
    expect(errors(events)).toEqual([expect.stringContaining("/no/such/agent could not be started")]);
  });

  it("takes what an agent prints beside the protocol for text, whatever it looks like", async () => {
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

  it("passes over a message that is too large to hold", async () => {
    const { code, events } = await drive({ steps: ["huge", say("Still here.")] });
    expect(code).toBe(0);
    expect(texts(events)).toEqual([expect.stringContaining("32 MB"), "Still here."]);
  });

  it("gives up on an agent that does not answer", async () => {
    const { code, events } = await drive({ steps: [] }, {}, "mute");
    expect(code).toBe(1);
    expect(errors(events)).toEqual(["The agent did not answer the greeting within 1 seconds."]);
  });

  it.each([
    ["one that stops when it is told", "wait"],
    ["one that does not listen", "hang"],
  ])("stops %s, within three seconds", async (_, step) => {
    const run = start({ steps: [say("I begin."), step], stopReason: "cancelled" });
    await run.seen("I begin.");
    const asked = performance.now();
    run.child.kill("SIGTERM");
    expect((await run.ended).code).toBe(143);
    expect(performance.now() - asked).toBeLessThan(3_000);
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

async function drive(prompt: unknown, changes: Partial<AgentRun> = {}, way = "", command?: readonly string[]) {
  return start(prompt, changes, way, command).ended;
}

/** As the supervisor would: the adapter's command, its files written, the prompt on stdin. */
function start(
  prompt: unknown,
  changes: Partial<AgentRun> = {},
  way = "",
  command: readonly string[] = [process.execPath, FAKE, way],
) {
  const agent = acp({ command });
  const { argv, env, files } = agent.command(exampleRun("review", { workspace, filesDir: dir, ...changes }));
  for (const [path, text] of Object.entries(files)) {
    const rules: AcpRules = { ...(JSON.parse(text) as AcpRules), startMs: way === "mute" ? 1_000 : 30_000 }; // as the adapter wrote it
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
