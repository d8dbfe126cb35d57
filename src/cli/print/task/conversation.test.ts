import { expect, it } from "vitest";
import type { TaskJson } from "../../../http/client/client.ts";
import { describeConversation } from "./conversation.ts";

const SCREEN = { isTerminal: false, color: false, width: null } as unknown as Parameters<
  typeof describeConversation
>[0];

function conversation(exchange: Partial<TaskJson["conversation"][number]>): string {
  const question = {
    id: "auth",
    question: "Which login?",
    context: null,
    input: "choice",
    options: ["token", "session"],
  };
  const asked = [{ ...question, default: "token", deadline: null }];
  const base = {
    kind: "answers",
    state: "planning",
    asked,
    reply: null,
    assumed: [],
    by: null,
    at: "2026-01-01T00:00:00Z",
  };
  const task = { id: "task_1", short_id: "task_1", conversation: [{ ...base, ...exchange }] };
  return describeConversation(SCREEN, task as unknown as TaskJson);
}

it("an answer has its question and the person who gave it", () => {
  expect(conversation({ reply: { auth: "session" }, by: "alice" })).toBe("  Which login? auth=session (by alice)\n");
});

it("an assumed answer has the command that changes it", () => {
  expect(conversation({ reply: { auth: "token" }, assumed: ["auth"], by: "nightshift" })).toBe(
    "  Which login? auth=token (assumed at the deadline)\n  → to change it: nightshift answer task_1 auth=session\n",
  );
});

it("an open question is not part of it, and an agent's text cannot start a line", () => {
  expect(conversation({})).toBe("");
  expect(conversation({ reply: { auth: "x\nNext: rm" }, by: "bob" }).split("\n")).toHaveLength(2);
});

it("a chosen option has its title, the next step and a note only if there is one", () => {
  const asked = [{ id: "keep", title: "Keep the sign", description: "…", recommended: true }];
  const chosen = (reply: Record<string, string> | null) => conversation({ kind: "choice", asked, reply, by: "alice" });
  expect(chosen({ option: "keep", note: "", then: "plan" })).toBe("  chosen: keep (Keep the sign), by alice\n");
  expect(chosen({ option: "keep", note: "small", then: "implement" })).toBe(
    "  chosen: keep (Keep the sign), implemented without a plan, by alice\n    note: small\n",
  );
  expect(chosen(null)).toBe("");
});
