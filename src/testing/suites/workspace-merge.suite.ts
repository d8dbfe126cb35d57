import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MergeMethod } from "../../core/forge/merge.ts";
import type { Workspaces } from "../../ports/workspace.ts";
import { createTempRepo, git, writeFiles } from "../temp-repo.ts";
import type { TempRepo } from "../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";
const task = "task_0123456789";
const branch = "agent/faster";

/** Contract of `mergeBranch`, part of workspace.suite.ts. */
export function testMergeBranch(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): mergeBranch`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let base: string;
    let commit: string;
    let remote: string;

    const merge = (method: MergeMethod | null = null) =>
      workspaces.mergeBranch({
        project,
        remote,
        defaultBranch: "main",
        task,
        branch,
        commit,
        method,
        message: "Go faster",
        at: 1e3,
      });
    const main = () => git(remote, "rev-parse", "main");
    const branches = () => git(remote, "for-each-ref", "--format=%(refname:short)", "refs/heads/agent");
    const parents = async () => (await git(remote, "log", "-1", "--format=%P", "main")).split(" ");

    const isMerged = async () => {
      const { commit: newest } = await workspaces.sync({ project, remote, defaultBranch: "main" });
      return workspaces.isMerged({ project, task, commit, base: newest });
    };

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "one\n" });
      ({ remote } = repo);
      workspaces = setup.create(join(repo.path, "home"));
      ({ commit: base } = await workspaces.sync({ project, remote, defaultBranch: "main" }));
      const { path } = await workspaces.open({ project, task, name: "run", commit: base, branch, copy: null });
      await writeFiles(path, { "a.txt": "two\n" });
      commit = (await workspaces.collect({ project, task, name: "run", message: "work", at: 0 })).commit ?? "";
      await workspaces.push({ project, task, remote, commit, branch });
    });
    afterEach(() => repo.remove());

    test("isMerged recognizes the commit, a merge commit, a squashed and a cherry-picked one, and nothing else", async () => {
      expect(await isMerged()).toBe(false);
      await repo.commit({ "b.txt": "other\n" });
      expect(await isMerged()).toBe(false);
      const other = await main();
      await repo.git("fetch", "-q", "origin");
      for (const args of [["merge", "-q", "--no-edit"], ["merge", "-q", "--squash"], ["cherry-pick"]]) {
        await repo.git("reset", "-q", "--hard", other);
        await repo.git(...args, `origin/${branch}`);
        if (args.includes("--squash")) await repo.git("commit", "-qm", "squashed by a person");
        await repo.git("push", "-qf", "origin", "HEAD:main");
        expect(await isMerged(), args.join(" ")).toBe(true);
      }
      await repo.git("push", "-qf", "origin", `${other}:main`, `:${branch}`);
      expect(await isMerged()).toBe(false);
    });

    test("fast-forwards the default branch and deletes the task's branch", async () => {
      expect(await merge()).toEqual({ kind: "merged", target: "main", commit, warnings: [] });
      expect(await main()).toBe(commit);
      expect(await branches()).toBe("");
    });

    test.each(["squash", "merge", "rebase"] as const)("%s is done once, also after a crash", async (method) => {
      const first = await merge(method);
      const merged = await main();
      expect(first).toEqual({ kind: "merged", target: "main", commit: merged, warnings: [] });
      expect(await git(remote, "rev-parse", "main^{tree}")).toBe(await git(remote, "rev-parse", `${commit}^{tree}`));
      expect(await parents()).toEqual(method === "merge" ? [base, commit] : [base]);
      expect(await git(remote, "log", "-1", "--format=%s", "main")).toBe(method === "rebase" ? "work" : "Go faster");
      expect(await merge(method)).toEqual(first);
      expect(await main()).toBe(merged);
    });

    test("a commit that a person already merged is a success", async () => {
      await git(remote, "update-ref", "refs/heads/main", commit);
      await repo.git("pull", "--quiet", "origin", "main");
      const later = await repo.commit({ "b.txt": "later\n" });
      expect(await merge("squash")).toMatchObject({ kind: "merged", commit: later });
      expect(await main()).toBe(later);
    });

    test("a default branch with new commits is left as it is", async () => {
      const moved = await repo.commit({ "b.txt": "later\n" });
      for (const method of [null, "merge", "squash"] as const)
        expect(await merge(method)).toEqual({ kind: "outdated", target: "main" });
      expect(await main()).toBe(moved);
      expect(await branches()).toBe(branch);
    });

    test("a branch that a person pushed to is not deleted", async () => {
      await repo.git("push", "--quiet", "--force", "origin", `main:${branch}`);
      expect(await merge()).toMatchObject({ kind: "merged", warnings: [] });
      expect(await branches()).toBe(branch);
    });

    test("a default branch that is checked out in the remote is refused, and nothing changes", async () => {
      remote = repo.checkout;
      await repo.git("config", "receive.denyCurrentBranch", "updateInstead");
      await workspaces.push({ project, task, remote, commit, branch });
      await expect(merge()).rejects.toMatchObject({
        kind: "conflict",
        message: expect.stringContaining('"main" is checked out'),
        hint: expect.stringContaining(`git merge --ff-only ${branch}`),
      });
      expect(await main()).toBe(base);
      expect(await repo.git("status", "--porcelain")).toBe("");
      expect(await branches()).toBe(branch);
    });

    test("a commit that no longer exists is refused", async () => {
      commit = "1".repeat(40);
      await expect(merge()).rejects.toMatchObject({ kind: "not_found" });
    });
  });
}
