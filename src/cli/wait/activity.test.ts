import { expect, it } from "vitest";
import type { TranscriptEventJson } from "../../http/client/client.ts";
import { describeActivity } from "./activity.ts";

const HOME = "/home/ada/.nightshift/workspaces/task_0xfymrs0ty/run_bmt8hqc9y6";

function call(name: string, input: unknown): TranscriptEventJson {
  return { type: "tool_call", id: "1", name, input };
}

it.each<[TranscriptEventJson, string | null]>([
  [call("Bash", { command: "npm test", description: "Run the tests" }), "Bash npm test"],
  [call("Edit", { file_path: `${HOME}/src/app.ts`, old_string: "a" }), "Edit src/app.ts"],
  [call("Bash", { command: `cd ${HOME} && ls ${HOME}/src` }), "Bash cd . && ls src"],
  [call("Grep", { pattern: "TODO", path: "src" }), 'Grep "TODO" in src'],
  [call("shell", { command: ["bash", "-lc", "make"] }), "shell bash -lc make"],
  [call("mcp__nightshift__report_outcome", { outcome: "implemented" }), "nightshift__report_outcome"],
  [call("TodoWrite", { todos: [] }), "TodoWrite"],
  [call("lookup", "text"), "lookup"],
  [call("odd", null), "odd"],
  [{ type: "text", text: "First.\nThen the second line.\n\n" }, "Then the second line."],
  [{ type: "raw", text: "10 %\r20 %" }, "20 %"],
  [{ type: "text", text: " \n" }, null],
  [{ type: "thinking", text: "a secret thought" }, "thinking"],
  [{ type: "file_change", path: `${HOME}/a.ts`, change: "modified" }, "modified a.ts"],
  [{ type: "error", message: "overloaded", failure: null }, "overloaded"],
  [{ type: "limit", kind: "usage", resets_at: null }, "usage limit reached"],
  [{ type: "tool_result", id: "1", output: "ok", failed: false }, null],
  [{ type: "session", id: "1" }, null],
])("activity: %j is shown as %j", (event, expected) => {
  expect(describeActivity(event)).toBe(expected);
});

it("activity: a command of megabytes is cut before it is searched for paths", () => {
  // Searching all of it takes minutes.
  expect(describeActivity(call("Bash", { command: "/a".repeat(2_000_000) }))?.length).toBeLessThan(2_000);
});
