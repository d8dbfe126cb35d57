import { chmod, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, git, writeFiles } from "../../temp-repo.ts";
import type { TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";

/** Contract of `recentFiles`, part of workspace.suite.ts. */
export function testRecentFiles(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): recentFiles`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "one\n", "src/b.txt": "b\n" });
      workspaces = setup.create(join(repo.path, "home"));
    });
    afterEach(() => repo.remove());

    const sync = () => workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" });
    const recent = async (commits: number, base?: string) =>
      await workspaces.recentFiles({ project, base: base ?? (await sync()).commit, commits });

    test("lists created, changed, deleted and moved files of the newest commits, each once", async () => {
      const base = await repo.commit({ "a.txt": "two\n" });
      await repo.commit({ "src/b.txt": null, "src/moved.txt": "b\n" });
      await repo.commit({ "src/moved.txt": "c\n" });
      expect(await recent(1)).toEqual(["src/moved.txt"]);
      expect(await recent(2)).toEqual(["src/b.txt", "src/moved.txt"]);
      expect(await recent(3)).toEqual(["a.txt", "src/b.txt", "src/moved.txt"]);
      expect(await recent(1, base)).toEqual(["a.txt"]);
    });

    test("lists nothing for zero commits and everything for a shorter history", async () => {
      expect(await recent(0)).toEqual([]);
      expect(await recent(1_000_000)).toEqual(["a.txt", "src/b.txt"]);
    });

    test("counts a merge as one commit with all its changes", async () => {
      await repo.git("checkout", "-q", "-b", "side");
      await repo.commit({ "side/1.txt": "1\n" });
      await repo.commit({ "side/2.txt": "2\n" });
      await repo.git("checkout", "-q", "main");
      await repo.commit({ "main.txt": "m\n" });
      await repo.git("merge", "-q", "--no-ff", "-m", "merge", "side");
      await repo.git("push", "-q", "origin", "main");
      expect(await recent(1)).toEqual(["side/1.txt", "side/2.txt"]);
      expect(await recent(2)).toEqual(["main.txt", "side/1.txt", "side/2.txt"]);
    });

    test("accepts any file name, and a mode change is a change", async () => {
      const names = ['"quoted"\t.txt', ":(top)x", "-n", "line\nend.txt", "straße/grüße.txt"];
      await writeFiles(repo.checkout, Object.fromEntries(names.map((name) => [name, "x\n"])));
      await chmod(join(repo.checkout, "a.txt"), 0o755);
      await repo.commit({});
      expect(await recent(1)).toEqual([...names, "a.txt"].toSorted());
    });

    test("listFiles lists the files and links of a commit, but no submodules; countCommits stops at the maximum", async () => {
      const { commit: first } = await sync();
      await symlink("a.txt", join(repo.checkout, "link"));
      await repo.git("update-index", "--add", "--cacheinfo", `160000,${first},module`);
      await repo.git("commit", "-q", "-m", "a submodule");
      const base = await repo.commit({ "line\nend.txt": "x\n", "src/b.txt": null });
      await sync();
      expect((await workspaces.listFiles({ project, base })).toSorted()).toEqual(["a.txt", "line\nend.txt", "link"]);
      expect(await workspaces.listFiles({ project, base: first })).toEqual(["a.txt", "src/b.txt"]);
      expect(await workspaces.listFileSizes({ project, base: first })).toEqual([
        { path: "a.txt", bytes: expect.any(Number) },
        { path: "src/b.txt", bytes: expect.any(Number) },
      ]);
      expect(await workspaces.countCommits({ project, base, max: 100 })).toBe(3);
      expect(await workspaces.countCommits({ project, base, max: 2 })).toBe(2);
      for (const name of [project, "never-synced"])
        await expect(workspaces.listFiles({ project: name, base: "f".repeat(40) })).rejects.toMatchObject({
          kind: "not_found",
        });
    });

    test("readFiles returns the given files and links of a commit, without directories, submodules and large files", async () => {
      await symlink("../a.txt", join(repo.checkout, "src/link"));
      const base = await repo.commit({ "big.txt": "x".repeat(300_000), "src/ü.txt": "ü\n" });
      await sync();
      const paths = ["a.txt", "src/link", "src/ü.txt", "src", "big.txt", "missing", "src/missing/x"];
      for (const task of [null, "task_0123456789"]) {
        const found = await workspaces.readFiles({ project, task, base, paths });
        expect(found.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
          { path: "a.txt", kind: "file", text: expect.any(String) },
          { path: "src/link", kind: "link", text: "../a.txt" },
          { path: "src/ü.txt", kind: "file", text: "ü\n" },
        ]);
        expect(await workspaces.readFiles({ project, task, base, paths: [] })).toEqual([]);
      }
    });

    test("excludes the commit where a shallow history ends, because its changes are unknown", async () => {
      await repo.commit({ "a.txt": "two\n" });
      await repo.commit({ "c.txt": "c\n" });
      const shallow = join(repo.path, "shallow.git");
      await git(repo.path, "clone", "-q", "--bare", "--depth=2", `file://${repo.remote}`, shallow);
      await rm(repo.remote, { recursive: true });
      const { commit } = await workspaces.sync({ project, remote: `file://${shallow}`, defaultBranch: "main" });
      expect(await recent(10, commit)).toEqual(["c.txt"]);
    });

    test("fails with a clear error for an unknown commit", async () => {
      await sync();
      for (const [name, base] of [
        [project, "f".repeat(40)],
        ["never-synced", await repo.git("rev-parse", "HEAD")],
      ] as const)
        await expect(workspaces.recentFiles({ project: name, base, commits: 3 })).rejects.toMatchObject({
          kind: "not_found",
        });
      await expect(recent(1, "--all")).rejects.toMatchObject({ kind: "invalid" });
      await expect(recent(-1)).rejects.toMatchObject({ kind: "invalid" });
    });
  });
}
