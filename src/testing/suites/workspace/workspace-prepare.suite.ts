import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspace, Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, git, writeFiles, type TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";
const task = "task_0123456789";
const [agent, prepared, checks] = ["run_0123456789", "run_0123456789.prepared", "run_abcdefghij"] as const;
const branch = "agent/one";

const inodeOf = async (path: string): Promise<number> => (await lstat(path)).ino;
const filesOf = async ({ path }: Workspace): Promise<readonly string[]> =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory() && !join(entry.parentPath, entry.name).includes("/.git/"))
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .toSorted();

/** Contract of `prepare`, part of workspace.suite.ts. */
export function testPrepare(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): prepare`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let base: string;

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "a\n", "src/b.txt": "b\n", "src/old/c.txt": "c\n" });
      workspaces = setup.create(join(repo.path, "home"));
      base = (await workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" })).commit;
    });
    afterEach(() => repo.remove());

    const prepare = () => workspaces.prepare({ project, task, name: prepared, commit: base });
    const open = (commit: string, name: string = checks) =>
      workspaces.open({ project, task, name, commit, branch, prepared, copy: null });
    /** A commit of the task that changes, creates and deletes files. */
    const work = async (): Promise<string> => {
      const { path } = await workspaces.open({ project, task, name: agent, commit: base, branch, copy: null });
      await writeFiles(path, { "a.txt": "changed\n", "new/d.txt": "new\n", "src/old/c.txt": null });
      const { commit } = await workspaces.collect({ project, task, name: agent, message: "work", at: 0 });
      if (commit === null) throw new Error("expected a commit");
      return commit;
    };

    test("a later commit is opened in the prepared files, and only those that differ are written", async () => {
      await prepare();
      const [tree] = (await workspaces.trees(task)).filter((name) => name === prepared);
      expect(tree).toBe(prepared);
      const before = await inodeOf(join(repo.path, "home/workspaces", task, prepared, "src/b.txt"));
      const opened = await open(await work());
      expect(await inodeOf(join(opened.path, "src/b.txt"))).toBe(before);
      expect(await filesOf(opened)).toEqual(["a.txt", "new/d.txt", "src/b.txt"]);
      expect(await readFile(join(opened.path, "a.txt"), "utf8")).toBe("changed\n");
      expect(await git(opened.path, "status", "--porcelain", "--branch")).toBe(`## ${branch}`);
      expect(await workspaces.trees(task)).toEqual([agent, checks]);
      expect(await workspaces.collect({ project, task, name: checks, message: "none", at: 0 })).toMatchObject({
        commit: null,
      });
    });

    test("a file that was changed in the prepared tree is written again", async () => {
      await prepare();
      await writeFiles(join(repo.path, "home/workspaces", task, prepared), { "src/b.txt": "poisoned\n" });
      const opened = await open(await work());
      expect(await readFile(join(opened.path, "src/b.txt"), "utf8")).toBe("b\n");
    });

    test("is idempotent, also after a restart, and can be closed", async () => {
      await prepare();
      workspaces = setup.create(join(repo.path, "home"));
      await Promise.all([prepare(), prepare()]);
      expect(await workspaces.trees(task)).toEqual([prepared]);
      await workspaces.close(task, prepared);
      expect(await workspaces.trees(task)).toEqual([]);
    });

    test("opening works without it, and while it is being written", async () => {
      const commit = await work();
      const opened = await open(commit);
      expect(await filesOf(opened)).toEqual(["a.txt", "new/d.txt", "src/b.txt"]);
      await workspaces.close(task, checks);
      const [again] = await Promise.all([open(commit), prepare()]);
      expect(await filesOf(again)).toEqual(["a.txt", "new/d.txt", "src/b.txt"]);
    });
  });
}
