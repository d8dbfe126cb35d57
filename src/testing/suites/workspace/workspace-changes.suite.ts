import { chmod, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileChange, FileSide } from "../../../core/change/file-change.ts";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, writeFiles } from "../../temp-repo.ts";
import type { Files, TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";
const task = "task_0123456789";
const name = "run_0123456789";

/** Contract of `readChanges`, part of workspace.suite.ts. */
export function testReadChanges(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): readChanges`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let from: string;
    let tree: string;

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "one\ntwo\n", "src/b.txt": "b\n" });
      workspaces = setup.create(join(repo.path, "home"));
      from = (await workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" })).commit;
      tree = (await workspaces.open({ project, task, name, commit: from, branch: "agent/x", copy: null })).path;
    });
    afterEach(() => repo.remove());

    const collect = async (files: Files): Promise<string> => {
      await writeFiles(tree, files);
      const { commit } = await workspaces.collect({ project, task, name, message: "work", at: 0 });
      return commit ?? "";
    };
    const read = async (to: string, maxFileBytes = 1_000_000) =>
      (await workspaces.readChanges({ project, task, from, to, maxFileBytes })).map(plain);

    test("returns both sides of every changed file, sorted by path", async () => {
      await chmod(join(tree, "src/b.txt"), 0o755);
      await symlink("../out", join(tree, "link"));
      const to = await collect({ "z.txt": "new ä\n", "a.txt": null, "run.sh": "true\n" });
      expect(await read(to)).toEqual([
        { path: "a.txt", before: side("file", "one\ntwo\n"), after: null },
        { path: "link", before: null, after: side("link", "../out") },
        { path: "run.sh", before: null, after: side("file", "true\n") },
        { path: "src/b.txt", before: side("file", "b\n"), after: side("executable", "b\n") },
        { path: "z.txt", before: null, after: side("file", "new ä\n") },
      ]);
      expect(await read(from)).toEqual([]);
    });

    test("returns contents that attributes or NUL bytes would hide", async () => {
      const attributes = "* binary -diff\n*.x diff=evil filter=evil\n";
      const to = await collect({ ".gitattributes": attributes, "b.x": "one\0two\n", "a.txt": "seen\n" });
      const changes = await read(to);
      expect(changes.map((change) => change.path)).toEqual([".gitattributes", "a.txt", "b.x"]);
      expect(changes[1]?.after).toEqual(side("file", "seen\n"));
      expect(changes[2]?.after).toEqual(side("file", "one\0two\n"));
    });

    test("returns the size of a file that is too large to read", async () => {
      const to = await collect({ "large.txt": "x".repeat(101), "fits.txt": "y".repeat(100) });
      expect(await read(to, 100)).toEqual([
        { path: "fits.txt", before: null, after: side("file", "y".repeat(100)) },
        { path: "large.txt", before: null, after: { kind: "file", bytes: 101, content: null } },
      ]);
    });
  });
}

function side(kind: FileSide["kind"], text: string): FileSide {
  return { kind, bytes: Buffer.byteLength(text), content: new Uint8Array(Buffer.from(text)) };
}

/** Converts a Buffer to a plain Uint8Array, because the two do not compare equal. */
function plain({ path, before, after }: FileChange): FileChange {
  return { path, before: before && bare(before), after: after && bare(after) };
}

function bare(one: FileSide): FileSide {
  return { ...one, content: one.content && new Uint8Array(one.content) };
}
