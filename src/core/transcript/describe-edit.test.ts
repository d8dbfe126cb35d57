import { expect, it } from "vitest";
import { describeEdit } from "./describe-edit.ts";

const show = (name: string, input: unknown) => {
  const edit = describeEdit(name, input);
  return edit === null ? null : [`+${edit.added} -${edit.removed}`, ...edit.lines.map(({ sign, text }) => sign + text)];
};

it("a replacement shows only what changes as added and removed", () => {
  const input = { file_path: "a.ts", old_string: "one\ntwo\nthree\n", new_string: "one\n2\nthree\n" };
  expect(show("Edit", input)).toEqual(["+1 -1", " one", "-two", "+2", " three"]);
});

it("several replacements, new files and patches of other agents are edits", () => {
  const edits = [
    { old_string: "a", new_string: "b" },
    { old_string: "c", new_string: "" },
  ];
  expect(show("MultiEdit", { edits })).toEqual(["+1 -2", "-a", "+b", "-c"]);
  expect(show("edit", { oldString: "a", newString: "b" })).toEqual(["+1 -1", "-a", "+b"]);
  expect(show("write_file", { content: "x\ny\n" })).toEqual(["+2 -0", "+x", "+y"]);
  const patch = "*** Begin Patch\n*** Update File: a\n@@\n-old\n+new\n*** End Patch";
  expect(show("apply_patch", { input: patch })?.[0]).toBe("+1 -1");
});

it("lines that start like a heading are counted as headings only in patches", () => {
  expect(show("Write", { content: "--- title\n" })).toEqual(["+1 -0", "+--- title"]);
  expect(show("x", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n")?.[0]).toBe("+1 -1");
});

it("other calls are no edits", () => {
  expect(describeEdit("Bash", { command: "ls" })).toBeNull();
  expect(describeEdit("Read", { content: "x" })).toBeNull();
  expect(describeEdit("MultiEdit", { edits: [1] })).toBeNull();
});
