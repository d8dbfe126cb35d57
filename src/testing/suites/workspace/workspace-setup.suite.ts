import { chmod, lstat, rm, symlink, truncate, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, writeFiles } from "../../temp-repo.ts";
import type { Files, TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";
const task = "task_0123456789";
const name = "run_0123456789";

/** Contract of `noteSetup`, part of workspace.suite.ts. */
export function testNoteSetup(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): noteSetup`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let commit: string;
    let tree: string;

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "a\n", "lock.json": "1\n", "old.txt": "old\n", "src/b.txt": "b\n" });
      workspaces = setup.create(join(repo.path, "home"));
      commit = (await workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" })).commit;
      tree = await open();
    });
    afterEach(() => repo.remove());

    const open = async () =>
      (await workspaces.open({ project, task, name, commit, branch: "agent/x", copy: null })).path;
    const collect = async () => {
      const { stats } = await workspaces.collect({ project, task, name, message: "work", at: 0 });
      return stats.files.map(({ path, change }) => `${change} ${path}`);
    };
    const setUp = async (files: Files) => {
      await writeFiles(tree, files);
      await workspaces.noteSetup({ task, name });
    };

    test("files that set-up created, changed or deleted are not part of the work", async () => {
      await symlink("a.txt", join(tree, "link"));
      await setUp({ "lock.json": "2\n", "old.txt": null, "gen/code.txt": "generated\n", "grün.txt": "ä\n" });
      expect(await collect()).toEqual([]);
      await writeFiles(tree, { "a.txt": "work\n", "gen/mine.txt": "mine\n" });
      expect(await collect()).toEqual(["modified a.txt", "created gen/mine.txt"]);
    });

    test("later changes of content, mode or link target, and deletions, are part of the work", async () => {
      await symlink("a.txt", join(tree, "link"));
      await setUp({ "lock.json": "2\n", "gen.txt": "one\n", "run.sh": "true\n", "src/b.txt": "B\n" });
      const { mtime } = await lstat(join(tree, "gen.txt"));
      await writeFiles(tree, { "lock.json": "3\n", "gen.txt": "two\n", "src/b.txt": null });
      // Restore size and time.
      await utimes(join(tree, "gen.txt"), mtime, mtime);
      await chmod(join(tree, "run.sh"), 0o755);
      await rm(join(tree, "link"));
      await symlink("src/b.txt", join(tree, "link"));
      expect(await collect()).toEqual([
        "created gen.txt",
        "created link",
        "modified lock.json",
        "created run.sh",
        "deleted src/b.txt",
      ]);
    });

    test("restoring the committed content or removing what set-up created is no change", async () => {
      await setUp({ "lock.json": "2\n", "old.txt": null, "gen.txt": "one\n" });
      await writeFiles(tree, { "lock.json": "1\n", "old.txt": "old\n", "gen.txt": null });
      expect(await collect()).toEqual([]);
    });

    test("a deleted file that comes back with other content is a change", async () => {
      await setUp({ "old.txt": null });
      await writeFiles(tree, { "old.txt": "new\n" });
      expect(await collect()).toEqual(["modified old.txt"]);
    });

    test("a file that became a directory, and the reverse, is a change", async () => {
      await setUp({ "old.txt": null, src: null });
      await setUp({ "old.txt/inside.txt": "made\n", src: "a file\n" });
      expect(await collect()).toEqual([]);
      await writeFiles(tree, { "old.txt/inside.txt": "changed\n" });
      expect(await collect()).toEqual(["deleted old.txt", "created old.txt/inside.txt"]);
    });

    test("the record survives a restart and applies to this checkout only", async () => {
      await setUp({ "gen.txt": "one\n" });
      workspaces = setup.create(join(repo.path, "home"));
      expect(await collect()).toEqual([]);
      await workspaces.close(task, name);
      tree = await open();
      await writeFiles(tree, { "gen.txt": "one\n" });
      expect(await collect()).toEqual(["created gen.txt"]);
    });

    test("only the latest record counts", async () => {
      await setUp({ "gen.txt": "one\n" });
      await setUp({ "gen.txt": "two\n" });
      expect(await collect()).toEqual([]);
      await writeFiles(tree, { "gen.txt": "one\n" });
      expect(await collect()).toEqual(["created gen.txt"]);
    });

    test("a file that is too large for a change is fine if set-up created it and it is unchanged", async () => {
      const file = join(tree, "image.bin");
      await writeFiles(tree, { "image.bin": "" });
      await truncate(file, 101 * 1024 * 1024);
      await workspaces.noteSetup({ task, name });
      await writeFiles(tree, { "a.txt": "work\n" });
      expect(await collect()).toEqual(["modified a.txt"]);
      await truncate(file, 102 * 1024 * 1024);
      await expect(collect()).rejects.toMatchObject({ kind: "invalid" });
    });

    test('fails with "unavailable" if the checkout is gone', async () => {
      await rm(tree, { recursive: true });
      await expect(workspaces.noteSetup({ task, name })).rejects.toMatchObject({ kind: "unavailable" });
    });
  });
}
