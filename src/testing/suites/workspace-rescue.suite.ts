import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspace, Workspaces } from "../../ports/workspace.ts";
import { createTempRepo, git, writeFiles } from "../temp-repo.ts";
import type { TempRepo } from "../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";
const task = "task_0123456789";

/** Contract of `rescue`, part of workspace.suite.ts. */
export function testRescue(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): rescue`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let base: string;
    let commit: string;

    const sync = async () => (await workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" })).commit;
    const open = (of: string, name: string, at: string): Promise<Workspace> =>
      workspaces.open({ project, task: of, name, commit: at, branch: "agent/x", copy: null });

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "one\n" });
      workspaces = setup.create(join(repo.path, "home"));
      base = await sync();
      const { path } = await open(task, "run", base);
      await writeFiles(path, { "a.txt": "rescued\n" });
      commit = (await workspaces.collect({ project, task, name: "run", message: "work", at: 0 })).commit ?? "";
      await workspaces.rescue(project, task, commit);
      await workspaces.rescue(project, task, commit);
      await workspaces.remove(task);
    });
    afterEach(() => repo.remove());

    test("keeps work after its task was removed, also after a restart and on a newer base", async () => {
      const newBase = await repo.commit({ "b.txt": "later\n" });
      workspaces = setup.create(join(repo.path, "home"));
      await sync();
      const { path } = await open(task, "revived", commit);
      expect(await readFile(join(path, "a.txt"), "utf8")).toBe("rescued\n");
      expect(await git(path, "log", "--format=%s")).toBe("work\nfirst");
      const rebased = await workspaces.rebase({ project, task, commit, oldBase: base, newBase, at: 0 });
      expect(rebased).toMatch(/^[0-9a-f]{40}$/);
    });

    test("hides the work from other tasks", async () => {
      const other = "task_other";
      const { path } = await open(other, "run", base);
      const seen = (await git(path, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")).split("\n");
      expect(seen).toContain(base);
      expect(seen).not.toContain(commit);
      await expect(git(path, "cat-file", "-p", commit)).rejects.toThrow(/[Nn]ot a valid object/);
      await expect(open(other, "at-it", commit)).rejects.toMatchObject({ kind: "not_found" });
    });

    test("hands the work of one task to another, after its task was removed and before", async () => {
      const other = "task_other";
      await workspaces.takeOver({ project, task: other, from: task, commit });
      await workspaces.takeOver({ project, task: other, from: task, commit });
      const { path } = await open(other, "run", commit);
      expect(await readFile(join(path, "a.txt"), "utf8")).toBe("rescued\n");
      expect(await workspaces.list()).toEqual([other]);
      await writeFiles(path, { "a.txt": "continued\n" });
      const next =
        (await workspaces.collect({ project, task: other, name: "run", message: "more", at: 0 })).commit ?? "";
      await workspaces.takeOver({ project, task: "task_third", from: other, commit: next });
      const third = await open("task_third", "run", next);
      expect(await readFile(join(third.path, "a.txt"), "utf8")).toBe("continued\n");
      const unknown = { project, task: other, from: "task_third", commit: "1".repeat(40) };
      await expect(workspaces.takeOver(unknown)).rejects.toMatchObject({ kind: "not_found" });
    });

    test("keeps the work of many tasks at once", async () => {
      const tasks = ["task_a", "task_b", "task_c", "task_d"];
      const commits = await Promise.all(
        tasks.map(async (each) => {
          const { path } = await open(each, "run", base);
          await writeFiles(path, { "a.txt": `${each}\n` });
          const made = (await workspaces.collect({ project, task: each, name: "run", message: each, at: 0 })).commit;
          await workspaces.rescue(project, each, made ?? "");
          await workspaces.remove(each);
          return made ?? "";
        }),
      );
      for (const [at, each] of tasks.entries()) {
        const { path } = await open(each, "revived", commits[at] ?? "");
        expect(await readFile(join(path, "a.txt"), "utf8")).toBe(`${each}\n`);
      }
    });
  });
}
