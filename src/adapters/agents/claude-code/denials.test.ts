import { expect, test } from "vitest";
import { countDenials } from "./denials.ts";

function result(content: unknown, isError = true): string {
  const block = { type: "tool_result", tool_use_id: "toolu_1", is_error: isError, content };
  return JSON.stringify({ type: "user", message: { role: "user", content: [block] } });
}

test.each([
  "EACCES: permission denied, mkdir '/x/outside'",
  "EROFS: read-only file system, open '/etc/evil.tmp'",
  "EPERM: operation not permitted, unlink '/x'",
  "Exit code 1\n/bin/bash: line 1: /etc/x: Read-only file system",
  "Exit code 1\ncat: /x: Permission denied",
  "PreToolUse:Read hook error: /etc/passwd is outside the workspace /w; work only there.",
  "PreToolUse:Write hook error: [node guard]: The guard of the workspace could not decide, so this is refused: why.",
])("a denial: %s", (text) => {
  expect(countDenials([result(text), result([{ type: "text", text }])])).toBe(2);
});

test("a result counts once, whatever it says, and each of a line by itself", () => {
  const block = { type: "tool_result", is_error: true, content: "EACCES and EROFS, permission denied" };
  const line = JSON.stringify({ type: "user", message: { content: [block, block, { type: "text", text: "EROFS" }] } });
  expect(countDenials([line])).toBe(2);
});

test.each([
  result("File does not exist."),
  result("the manual says: permission denied", false),
  JSON.stringify({ type: "assistant", message: { content: [{ type: "text", text: "tool_result EACCES" }] } }),
  JSON.stringify({
    type: "assistant",
    message: { content: [{ type: "tool_result", is_error: true, content: "EACCES" }] },
  }),
  '{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":"EACCES',
  '"tool_result" EACCES',
  "null",
  JSON.stringify({ type: "user", message: { content: 'no list: "tool_result" EACCES' } }),
  JSON.stringify({ type: "user", message: { content: [null, "EACCES", { type: "tool_result", is_error: true }] } }),
  JSON.stringify({ type: "user", message: null, x: { type: "tool_result", c: "EACCES" } }),
])("no denial: %s", (line) => {
  expect(countDenials([line])).toBe(0);
});
