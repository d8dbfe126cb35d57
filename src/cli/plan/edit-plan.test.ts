import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Client, TaskJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { approveEdited } from "./edit-plan.ts";

const PLAN = { hash: "abc", content: { prompt: "Do it.\nThen stop.", tools: ["Read"], problems: ["old"] } };
const TASK = { id: "task_1" } as TaskJson;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-editor-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the command on the file, and returns what was sent and shown. */
async function edit(editor: string, answer: () => TaskJson = () => TASK) {
  const sent: unknown[] = [];
  const shown: string[] = [];
  const context = {
    env: { EDITOR: `cp "$1" ${folder}/seen; f() { ${editor}; }; f` },
    progress: (text: string) => shown.push(text),
  } as unknown as CliContext;
  const client = {
    call: async (_route: string, { body }: { body: unknown }) => {
      sent.push(body);
      return answer();
    },
  } as unknown as Client;
  const result = await approveEdited(context, client, { task: TASK, plan: PLAN }).catch(
    (error: Error) => error.message,
  );
  return { sent, result, shown: shown.join("") };
}

test("edit plan: sends what was saved, without the problems of the old plan", async () => {
  const { sent, result } = await edit(`sed -i.bak s/Read/Grep/ "$1"`);
  expect(sent).toEqual([{ plan_hash: "abc", plan: { prompt: "Do it.\nThen stop.", tools: ["Grep"] } }]);
  expect(result).toBe(TASK);
  expect(readFileSync(join(folder, "seen"), "utf8")).toMatch(/^# Save and close/);
});

test.each([
  [`: > "$1"`, "The file is empty"],
  [`echo "- a" > "$1"`, "no YAML with keys"],
  [`echo "a: [" > "$1"`, "no valid YAML"],
  ["exit 1", "failed. The plan was not approved"],
])("edit plan: %s approves nothing", async (editor, message) => {
  const { sent, result } = await edit(editor);
  expect(sent).toEqual([]);
  expect(result).toContain(message);
});

test("edit plan: a version that is refused is kept", async () => {
  const { shown, result } = await edit("true", () => {
    throw new Error("refused");
  });
  expect(result).toContain("refused");
  const file = /in (\S+)\.\n/.exec(shown)?.[1] ?? "";
  expect(existsSync(file)).toBe(true);
  rmSync(join(file, ".."), { recursive: true });
});
