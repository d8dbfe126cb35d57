import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, git, writeFiles } from "../../temp-repo.ts";
import type { Files, TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";
const task = "task_0123456789";
const branch = "agent/fix-it";

/** Contract of everything about commits of people on a task's branch, part of workspace.suite.ts. */
export function testPeoplesCommits(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): commits of people`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let base: string;
    /** The task's first change, as it was published. */
    let published: string;

    const sync = async () => (await workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" })).commit;
    const compare = async () => {
      const newest = await sync();
      return workspaces.compareBranch({ project, task, branch, published, base: newest, workBase: base });
    };
    const work = async (name: string, at: string, files: Files): Promise<string> => {
      const { path } = await workspaces.open({ project, task, name, commit: at, branch, copy: null });
      await writeFiles(path, files);
      return (await workspaces.collect({ project, task, name, message: name, at: 0 })).commit ?? "";
    };
    const squash = (commit: string, onto: string | null = null, on = base) =>
      workspaces.squash({ project, task, commit, base: on, message: "squashed", at: 0, onto });
    const push = (commit: string, ours: readonly string[] = []) =>
      workspaces.push({ project, task, remote: repo.remote, commit, branch, published: ours });
    /** A person's commit on the task's branch. */
    const commitOnBranch = async (files: Files): Promise<string> => {
      await repo.git("fetch", "-q", "origin", branch);
      await repo.git("checkout", "-q", "-B", branch, "FETCH_HEAD");
      const commit = await repo.commit(files, "by a person");
      await repo.git("checkout", "-q", "main");
      return commit;
    };
    const log = (commit: string) => git(repo.remote, "log", "--format=%s", commit);

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" });
      workspaces = setup.create(join(repo.path, "home"));
      base = await sync();
      published = await squash(await work("first", base, { "new.txt": "ours\n" }));
      await push(published);
    });
    afterEach(() => repo.remove());

    test("compareBranch recognizes the published commit, also before the mirror has it", async () => {
      expect(await workspaces.compareBranch({ project, task, branch, published, base, workBase: base })).toBeNull();
      expect(await compare()).toEqual({ commit: published, relation: "same", mergeBase: base, base });
      const next = await squash(await work("second", published, { "new.txt": "ours again\n" }));
      await push(next);
      expect(await compare()).toMatchObject({ commit: next, relation: "same" });
    });

    test("compareBranch distinguishes added commits from a force-push", async () => {
      const theirs = await commitOnBranch({ "theirs.txt": "x\n" });
      expect(await compare()).toEqual({ commit: theirs, relation: "ahead", mergeBase: base, base });
      await repo.git("push", "-qf", "origin", `main:refs/heads/${branch}`);
      expect(await compare()).toMatchObject({ relation: "rewritten" });
      await repo.git("push", "-q", "origin", `:refs/heads/${branch}`);
      expect(await compare()).toBeNull();
    });

    test("compareBranch reports a base that people merged into the branch", async () => {
      const newBase = await repo.commit({ "later.txt": "x\n" });
      await repo.git("fetch", "-q", "origin", branch);
      await repo.git("checkout", "-q", "-B", branch, "FETCH_HEAD");
      await repo.git("merge", "-q", "--no-edit", "main");
      await repo.git("push", "-q", "origin", branch);
      expect(await compare()).toMatchObject({ relation: "ahead", mergeBase: newBase, base: newBase });
    });

    test("rebase and squash put the task's work on top of people's commits without rewriting them", async () => {
      const head = await work("second", published, { "a.txt": "ONE\n2\n3\n4\n5\n6\n7\n8\n9\n" });
      const theirs = await commitOnBranch({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nNINE\n" });
      await sync();
      const onTop = await workspaces.rebase({
        project,
        task,
        commit: head,
        oldBase: published,
        newBase: theirs,
        at: 0,
      });
      const next = await squash(onTop ?? "", theirs);
      await push(next, [theirs]);
      expect(await log(branch)).toBe("squashed\nby a person\nsquashed\nfirst");
      expect(await git(repo.remote, "show", `${branch}:a.txt`)).toBe("ONE\n2\n3\n4\n5\n6\n7\n8\nNINE");
      expect(await squash(theirs, theirs)).toBe(theirs);
    });

    test("squash merges a newer base into a branch with people's commits", async () => {
      const theirs = await commitOnBranch({ "theirs.txt": "x\n" });
      const newBase = await repo.commit({ "later.txt": "x\n" });
      await sync();
      const rebased = await workspaces.rebase({ project, task, commit: theirs, oldBase: base, newBase, at: 0 });
      const next = await squash(rebased ?? "", theirs, newBase);
      await push(next, [theirs]);
      expect((await git(repo.remote, "log", "-1", "--format=%P", next)).split(" ")).toEqual([theirs, newBase]);
      expect(await git(repo.remote, "show", `${branch}:later.txt`)).toBe("x");
    });

    test("push does not overwrite a commit of people that the task does not know", async () => {
      const theirs = await commitOnBranch({ "theirs.txt": "x\n" });
      const next = await squash(await work("second", published, { "new.txt": "again\n" }));
      await expect(push(next)).rejects.toMatchObject({ kind: "conflict" });
      expect(await git(repo.remote, "rev-parse", branch)).toBe(theirs);
    });

    test("rebase with keepConflicts returns a commit with conflict markers", async () => {
      const mine = await work("second", published, { "a.txt": "mine\n" });
      const theirs = await commitOnBranch({ "a.txt": "theirs\n" });
      await sync();
      const params = { project, task, commit: mine, oldBase: published, newBase: theirs, at: 0 };
      expect(await workspaces.rebase(params)).toBeNull();
      const marked = (await workspaces.rebase({ ...params, keepConflicts: true })) ?? "";
      const { path } = await workspaces.open({ project, task, name: "look", commit: marked, branch, copy: null });
      expect(await readFile(join(path, "a.txt"), "utf8")).toMatch(/^<<<<<<< .*\ntheirs\n=======\nmine\n>>>>>>> /);
    });
  });
}
