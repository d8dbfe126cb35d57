import { describe, expect, it } from "vitest";
import { combineChanges, toArtifact, type FileChange } from "./file-change.ts";

function change(of: FileChange["change"], sha256 = "a"): FileChange {
  return { path: "notes.md", change: of, kind: "file", size: 1, sha256, applies: true };
}

describe("changes of two runs of a task", () => {
  it.each<[string, FileChange, FileChange, FileChange["change"] | null]>([
    ["created, then modified: created", change("created"), change("modified", "b"), "created"],
    ["created, then deleted: unchanged", change("created"), change("deleted"), null],
    ["deleted, then created with other content: modified", change("deleted"), change("created", "b"), "modified"],
    ["deleted, then created with the same content: unchanged", change("deleted"), change("created"), null],
    ["modified, then deleted: deleted", change("modified"), change("deleted"), "deleted"],
  ])("%s", (_title, first, second, expected) => {
    const { files, undone } = combineChanges([toArtifact(first)], [second]);
    expect(files.map((file) => file.change)).toEqual(expected === null ? [] : [expected]);
    expect(undone).toEqual(expected === null ? ["notes.md"] : []);
  });
});
