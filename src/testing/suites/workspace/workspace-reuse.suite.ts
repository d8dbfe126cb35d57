import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspace, Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, git, writeFiles } from "../../temp-repo.ts";
import type { TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";
const task = "task_0123456789";
const [first, second] = ["run_0123456789", "run_abcdefghij"] as const;

const inodeOf = async ({ path }: Workspace): Promise<number> => (await lstat(join(path, "src/b.txt"))).ino;

/** Contract of `open` with an unchanged workspace to reuse, part of workspace.suite.ts. */
export function testReuse(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): open with an unchanged workspace`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let commit: string;
    let before: number;

    const sync = async () => (await workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" })).commit;
    const openFirst = (copy: string[] = []) =>
      workspaces.open({
        project,
        task,
        name: first,
        commit,
        branch: "agent/one",
        copy: { from: repo.path, files: copy },
      });
    const openSecond = (at = commit, unchanged: string = first) =>
      workspaces.open({ project, task, name: second, commit: at, branch: "agent/other", unchanged, copy: null });
    const collect = async (name: string) => {
      const { stats } = await workspaces.collect({ project, task, name, message: "work", at: 0 });
      return stats.files.map(({ path, change }) => `${change} ${path}`);
    };

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "a\n", "src/b.txt": "b\n" });
      workspaces = setup.create(join(repo.path, "home"));
      commit = await sync();
      before = await inodeOf(await openFirst());
    });
    afterEach(() => repo.remove());

    test("reuses its files on a new branch, with a clean status", async () => {
      const taken = await openSecond();
      expect(await inodeOf(taken)).toBe(before);
      expect(await git(taken.path, "status", "--porcelain", "--branch")).toBe("## agent/other");
      expect(await workspaces.trees(task)).toEqual([second]);
      await expect(collect(first)).rejects.toMatchObject({ kind: "unavailable" });
      expect(await collect(second)).toEqual([]);
      await writeFiles(taken.path, { "a.txt": "A\n", "new.txt": "new\n" });
      expect(await collect(second)).toEqual(["modified a.txt", "created new.txt"]);
      expect(await inodeOf(await openSecond())).toBe(before);
    });

    test("writes new files if that workspace is missing or at another commit", async () => {
      const later = await repo.commit({ "a.txt": "later\n" });
      await sync();
      expect(await inodeOf(await openSecond(later))).not.toBe(before);
      await workspaces.close(task, second);
      expect(await inodeOf(await openSecond(commit, "run_0000000000"))).not.toBe(before);
      expect((await workspaces.trees(task)).toSorted()).toEqual([first, second]);
    });

    test("writes new files if that workspace contains more than the commit", async () => {
      await workspaces.noteSetup({ task, name: first });
      expect(await inodeOf(await openSecond())).not.toBe(before);
      await workspaces.close(task, first);
      await workspaces.close(task, second);
      await writeFiles(repo.path, { ".env.test": "A=1\n" });
      const copied = await inodeOf(await openFirst([".env.test"]));
      expect(await inodeOf(await openSecond())).not.toBe(copied);
    });
  });
}
