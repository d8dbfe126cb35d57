import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { describeError, describeStop, SessionUnknownError } from "./errors.ts";
import { fieldsOf } from "./fields.ts";
import { formatEvent } from "./format-event.ts";
import { createUpdateReader } from "./updates.ts";
import { readSessionCost, readUsage } from "./usage.ts";
import { parseEventLine } from "../shared/event-lines.ts";

const FIXTURES = new URL("./fixtures/", import.meta.url);

/** Replays the recorded messages of a real agent over two prompts. */
function replay(file: string): readonly TranscriptEvent[] {
  const updates = createUpdateReader("/repo");
  let before = 0;
  let now: number | null = null;
  return readFileSync(new URL(file, FIXTURES), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      const { method, params, result } = fieldsOf(JSON.parse(line));
      const { update, toolCall } = fieldsOf(params);
      if (method === "session/update") {
        now = readSessionCost(update) ?? now;
        return updates.read(update);
      }
      if (method === "session/request_permission") return updates.readPermissionRequest(toolCall);
      const { stopReason } = fieldsOf(result);
      if (stopReason === undefined) return [];
      const used = readUsage(result, { before, now });
      before = now ?? before;
      return [...updates.flush(), ...used, ...describeStop(stopReason)];
    });
}

const kinds = (events: readonly TranscriptEvent[]) =>
  events.map((event) => (event.type === "tool_call" ? `call ${event.name}` : event.type));

describe("recorded messages of ACP agents", () => {
  it("all fixtures exist", () => {
    expect(readdirSync(FIXTURES).filter((name) => /^acp-.*\.jsonl$/.test(name))).toHaveLength(5);
  });

  it("reads claude-agent-acp 0.99", () => {
    const events = replay("acp-claude-0.99.jsonl");
    expect(kinds(events)).toEqual([
      "text",
      "call Write",
      "tool_result",
      "file_change",
      "call Bash",
      "tool_result",
      "text",
      "usage",
      "call Bash",
      "tool_result",
      "usage",
      "error",
    ]);
    expect(events).toContainEqual({ type: "file_change", path: "a.txt", change: "created" });
    expect(events.filter(({ type }) => type === "usage")).toEqual([
      usage({ input: 3010, output: 152 }, 0.01508, "claude-opus-5-5"),
      usage({ input: 1010, output: 52 }, expect.closeTo(0.00508, 6), "claude-opus-5-5"),
    ]);
  });

  it("reads claude-agent-acp 0.49", () => {
    const events = replay("acp-claude-0.49.jsonl");
    expect(kinds(events).filter((kind) => kind.startsWith("call"))).toEqual(["call Write", "call Bash", "call Bash"]);
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_result", failed: true }));
    expect(events).toContainEqual(expect.objectContaining({ type: "usage", scope: "delta" }));
  });

  it("reads gemini, which reports a call only in its permission request", () => {
    const events = replay("acp-gemini.jsonl");
    expect(kinds(events).slice(0, 4)).toEqual(["text", "call edit", "tool_result", "file_change"]);
    expect(events).toContainEqual({ type: "file_change", path: "a.txt", change: "created" });
    expect(events).toContainEqual(usage({ input: 3000, output: 150 }, null, "gemini-2.5-pro"));
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_result", output: expect.stringContaining("cancelled by user") }),
    );
  });

  it("reads opencode, which sends the input of a call later", () => {
    const events = replay("acp-opencode.jsonl");
    expect(events).toContainEqual({
      type: "tool_call",
      id: "call_1_0",
      name: "edit",
      input: { filePath: "/repo/a.txt", content: "x\n" },
    });
    expect(events).toContainEqual(usage({ input: 1000, output: 50 }, 0.0075, null));
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_result", failed: true }));
  });

  it("reads codex-acp, which sends tool names", () => {
    const events = replay("acp-codex.jsonl");
    expect(kinds(events).filter((kind) => kind.startsWith("call"))).toEqual(Array(3).fill("call exec_command"));
    expect(events).toContainEqual(usage({ input: 3000, output: 150 }, null, "fake-model"));
  });

  it("formatEvent and parseEventLine preserve every event", () => {
    const all = readdirSync(FIXTURES).flatMap((name) => (/^acp-.*\.jsonl$/.test(name) ? replay(name) : []));
    expect(all.length).toBeGreaterThan(30);
    for (const event of all) expect(parseEventLine(formatEvent(event))).toEqual([event]);
    expect(parseEventLine(formatEvent({ type: "limit", kind: "rate", resetsAt: 5000 }))).toEqual([
      { type: "limit", kind: "rate", resetsAt: 5000 },
    ]);
  });
});

describe("createUpdateReader", () => {
  it("joins the chunks of a message up to a maximum length", () => {
    const updates = createUpdateReader("/repo");
    const chunk = (text: string, messageId: string) =>
      updates.read({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
    expect([...chunk("a", "1"), ...chunk("b", "1")]).toEqual([]);
    expect(chunk("c", "2")).toEqual([{ type: "text", text: "ab" }]);
    expect(chunk("x".repeat(9_000), "2")).toEqual([{ type: "text", text: `c${"x".repeat(9_000)}` }]);
    expect(updates.flush()).toEqual([]);
  });

  it.each([null, 5, "x", [], {}, { sessionUpdate: 1 }, { sessionUpdate: "tool_call", content: 3, locations: [1, {}] }])(
    "takes %j",
    (update) => {
      expect(createUpdateReader("/repo").read(update)).toEqual([]);
    },
  );

  it("does not report the content of a permission request as output", () => {
    const updates = createUpdateReader("/repo");
    const call = { toolCallId: "1", title: "ls", kind: "execute" };
    updates.readPermissionRequest({
      ...call,
      content: [{ type: "content", content: { type: "text", text: "in /repo" } }],
    });
    const end = { sessionUpdate: "tool_call_update", ...call, status: "completed" };
    expect(updates.read({ ...end, content: [] })).toEqual([
      { type: "tool_result", id: "1", output: "", failed: false },
    ]);
  });

  it("reports deleted files, and no change for a failed call", () => {
    const updates = createUpdateReader("/repo");
    const done = { sessionUpdate: "tool_call", title: "rm", kind: "delete", locations: [{ path: "/repo/a/b" }] };
    expect(updates.read({ ...done, toolCallId: "1", status: "completed" })).toContainEqual({
      type: "file_change",
      path: "a/b",
      change: "deleted",
    });
    expect(kinds(updates.read({ ...done, toolCallId: "2", status: "failed" }))).toEqual(["call delete", "tool_result"]);
  });
});

describe("describeStop and describeError", () => {
  it.each([
    ["end_turn", []],
    ["max_tokens", ["context_too_long"]],
    ["max_turn_requests", ["max_turns"]],
    ["cancelled", [null]],
  ])("describeStop: %s", (reason, failures) => {
    expect(describeStop(reason)).toEqual(failures.map((failure) => expect.objectContaining({ failure })));
  });

  it.each([
    [Object.assign(new Error("Authentication required"), { code: -32000 }), "login"],
    [Object.assign(new Error("Internal error"), { data: { details: "prompt is too long" } }), "context_too_long"],
    [new Error("Rate limit reached"), "rate_limit"],
    [new SessionUnknownError("gone"), "session_unknown"],
    [new Error("odd"), null],
    ["odd", null],
  ])("describeError: %s", (error, failure) => {
    expect(describeError(error).at(-1)).toMatchObject({ type: "error", failure });
  });
});

function usage(tokens: { input: number; output: number }, costUsd: unknown, model: string | null) {
  return { type: "usage", tokens: { ...tokens, cacheRead: 0, cacheWrite: 0 }, costUsd, model, scope: "delta" };
}
