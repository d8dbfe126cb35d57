import { chmod, lstat, readFile, readdir, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspace, Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, git, writeFiles, type Files, type TempRepo } from "../../temp-repo.ts";
import { testReadChanges } from "./workspace-changes.suite.ts";
import { testChurn } from "./workspace-churn.suite.ts";
import { testOverlay } from "./workspace-overlay.suite.ts";
import { testRecentFiles } from "./workspace-recent.suite.ts";
import { testMergeBranch } from "./workspace-merge.suite.ts";
import { testRescue } from "./workspace-rescue.suite.ts";
import { testPorts } from "./workspace-ports.suite.ts";
import { testPrepare } from "./workspace-prepare.suite.ts";
import { testNoteSetup } from "./workspace-setup.suite.ts";
import { testReuse } from "./workspace-reuse.suite.ts";

export interface WorkspacesSetup {
  /** Creates workspaces that keep everything under `dir`. A second call with the same directory simulates a restart. */
  create(dir: string): Workspaces;
}

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const project = "shop";
const task = "task_0123456789";
const name = "run_0123456789";
const branch = "agent/fix-it";

/** Contract tests of src/ports/workspace.ts. */
export function testWorkspaces(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter})`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "one\ntwo\n", "src/b.txt": "b\n", ".gitignore": "ignored/\n" });
      workspaces = setup.create(join(repo.path, "home"));
    });
    afterEach(() => repo.remove());

    const sync = () => workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" });
    const open = async (at?: string, tree = name): Promise<Workspace> => {
      const commit = at ?? (await sync()).commit;
      return await workspaces.open({ project, task, name: tree, commit, branch, copy: null });
    };
    const collect = (tree = name) => workspaces.collect({ project, task, name: tree, message: "work", at: AT });
    const work = async (files: Files, tree = name, at?: string) => {
      const workspace = await open(at, tree);
      await writeFiles(workspace.path, files);
      const { commit } = await collect(tree);
      if (commit === null) throw new Error("expected the files to make a commit");
      return commit;
    };

    const push = (commit: string, to = branch) =>
      workspaces.push({ project, task, remote: repo.remote, commit, branch: to });
    const there = (ref = branch) => git(repo.remote, "rev-parse", `refs/heads/${ref}`);

    describe("sync", () => {
      test("returns the commit of a branch, also after it moved", async () => {
        const first = await repo.git("rev-parse", "HEAD");
        expect(await sync()).toEqual({ branch: "main", commit: first });
        const second = await repo.commit({ "a.txt": "new\n" });
        expect(await sync()).toEqual({ branch: "main", commit: second });
      });

      test("finds the remote's default branch", async () => {
        await git(repo.remote, "symbolic-ref", "HEAD", "refs/heads/trunk");
        await repo.git("push", "-q", "origin", "HEAD:trunk");
        const base = await workspaces.sync({ project, remote: repo.remote, defaultBranch: null });
        expect(base.branch).toBe("trunk");
      });

      test("follows a project to another remote", async () => {
        await sync();
        const other = await createTempRepo({ "other.txt": "x" });
        try {
          const base = await workspaces.sync({ project, remote: other.remote, defaultBranch: null });
          expect(base.commit).toBe(await other.git("rev-parse", "HEAD"));
        } finally {
          await other.remove();
        }
      });

      test("returns the same result to concurrent callers", async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, sync));
        expect(new Set(answers.map(({ commit }) => commit)).size).toBe(1);
      });
    });

    describe("open", () => {
      test("creates a clean checkout of the commit on the branch", async () => {
        const { path, commit } = await open();
        expect(await readFile(join(path, "src/b.txt"), "utf8")).toBe("b\n");
        expect(await git(path, "status", "--porcelain")).toBe("");
        expect(await git(path, "symbolic-ref", "--short", "HEAD")).toBe(branch);
        expect(await git(path, "rev-parse", "HEAD", "origin/main")).toBe(`${commit}\n${commit}`);
      });

      test("returns where the git directory reads objects from", async () => {
        const { path, objects } = await open();
        const alternates = await readFile(join(path, ".git/objects/info/alternates"), "utf8");
        expect(objects).toContain(alternates.trim());
        const further = await Promise.all(
          objects.map((dir) => readFile(join(dir, "info/alternates"), "utf8").catch(() => "")),
        );
        for (const dir of further.filter(Boolean)) expect(objects).toContain(dir.trim());
      });

      test("creates a checkout in which an agent can use git as usual", async () => {
        const { path } = await open();
        await writeFiles(path, { "c.txt": "c\n" });
        await git(path, "add", "-A");
        await git(path, "commit", "-qm", "mine");
        expect(await git(path, "log", "--format=%s")).toBe("mine\nfirst");
      });

      test("returns the existing checkout unchanged when called again, also after a restart", async () => {
        const first = await open();
        await writeFiles(first.path, { "a.txt": "half done\n" });
        const newer = await repo.commit({ "a.txt": "newer\n" });
        await sync();
        workspaces = setup.create(join(repo.path, "home"));
        expect(await open(newer)).toEqual(first);
        expect(await readFile(join(first.path, "a.txt"), "utf8")).toBe("half done\n");
      });

      test("two concurrent calls with the same name create one checkout", async () => {
        const { commit } = await sync();
        const [a, b] = await Promise.all([open(commit), open(commit)]);
        expect(a).toEqual(b);
      });

      test("copies files from the user's checkout, which are not part of the work", async () => {
        await writeFiles(repo.checkout, { ".env.test": "SECRET=1\n", "conf/[x] *.env": "odd\n" });
        const { commit } = await sync();
        const files = [".env.test", "conf/[x] *.env", "missing.env"];
        const copy = { from: repo.checkout, files };
        const { path } = await workspaces.open({ project, task, name, commit, branch, copy });
        expect(await readFile(join(path, ".env.test"), "utf8")).toBe("SECRET=1\n");
        expect(await readFile(join(path, "conf/[x] *.env"), "utf8")).toBe("odd\n");
        expect(await git(path, "status", "--porcelain")).toBe("");
        await writeFiles(path, { ".gitignore": "!*\n!/.env.test\n", "conf/x y.env": "collected\n" });
        const { stats } = await collect();
        expect(stats.files.map((file) => file.path)).toEqual([".gitignore", "conf/x y.env"]);
      });

      test.each(["../secret", "/etc/passwd", "link", "dir/secret", ".git/config", ""])(
        "refuses to copy %j",
        async (file) => {
          await writeFiles(repo.path, { secret: "s" });
          await symlink(join(repo.path, "secret"), join(repo.checkout, "link"));
          await symlink(repo.path, join(repo.checkout, "dir"));
          const { commit } = await sync();
          const copy = { from: repo.checkout, files: [file] };
          await expect(workspaces.open({ project, task, name, commit, branch, copy })).rejects.toMatchObject({
            kind: "invalid",
          });
        },
      );

      test("fails with a clear error for an unknown commit and leaves nothing behind", async () => {
        await sync();
        await expect(open("f".repeat(40))).rejects.toMatchObject({ kind: "not_found" });
        await expect(lstat((await open()).path)).resolves.toBeDefined();
      });
    });

    describe("collect", () => {
      test("returns no commit if nothing changed", async () => {
        const { path } = await open();
        await chmod(join(path, "a.txt"), 0o600);
        await writeFiles(path, { "ignored/x": "x" });
        expect(await collect()).toEqual({ commit: null, stats: { files: [], insertions: 0, deletions: 0 } });
        await writeFiles(path, { "a.txt": "one\ntwo\n" });
        expect((await collect()).commit).toBeNull();
      });

      test("commits created, changed, deleted and moved files and returns statistics", async () => {
        const { path } = await open();
        await writeFiles(path, { "a.txt": "one\n2\nthree\n", "src/b.txt": null, "new/c.bin": Buffer.from([0, 1, 2]) });
        await symlink("a.txt", join(path, "link"));
        await writeFiles(path, { "run.sh": "#!/bin/sh\n" });
        await chmod(join(path, "run.sh"), 0o755);
        const { stats } = await collect();
        const text = { insertions: 0, deletions: 0, binary: false };
        expect(stats).toEqual({
          files: [
            { ...text, path: "a.txt", change: "modified", insertions: 2, deletions: 1 },
            { ...text, path: "link", change: "created", insertions: 1 },
            { ...text, path: "new/c.bin", change: "created", binary: true },
            { ...text, path: "run.sh", change: "created", insertions: 1 },
            { ...text, path: "src/b.txt", change: "deleted", deletions: 1 },
          ],
          insertions: 4,
          deletions: 2,
        });
        const next = await open((await collect()).commit ?? "", "next");
        expect(await readlink(join(next.path, "link"))).toBe("a.txt");
        expect((await lstat(join(next.path, "run.sh"))).mode & 0o777).toBe(0o755);
        expect((await readdir(next.path)).toSorted()).toEqual([".git", ".gitignore", "a.txt", "link", "new", "run.sh"]);
      });

      test("the same files give the same commit, also later and after a restart", async () => {
        const first = await work({ "a.txt": "x\n" });
        workspaces = setup.create(join(repo.path, "home"));
        expect((await collect()).commit).toBe(first);
        await expect(work({ "a.txt": "x\n" }, "again")).resolves.toBe(first);
      });

      test("commits on top of the commit the checkout was opened at", async () => {
        const first = await work({ "a.txt": "1\n" });
        await work({ "b.txt": "2\n" }, "second", first);
        const { path } = await open((await collect("second")).commit ?? "", "third");
        expect(await git(path, "log", "--format=%s")).toBe("work\nwork\nfirst");
        expect(await git(path, "log", "-1", "--format=%ad %cd", "--date=iso-strict")).toBe(
          "2026-01-02T03:04:05+00:00 2026-01-02T03:04:05+00:00",
        );
      });

      test("finds a change of the same size in the same second", async () => {
        const { path } = await open();
        await writeFiles(path, { "a.txt": "eno\ntwo\n" });
        expect((await collect()).stats.files).toHaveLength(1);
      });

      test("handles a file that became a directory, and a directory that became a file", async () => {
        const { path } = await open();
        await writeFiles(path, { "a.txt": null, src: null });
        await writeFiles(path, { "a.txt/inside": "x\n", src: "file\n" });
        const { stats } = await collect();
        expect(stats.files.map((file) => `${file.change} ${file.path}`)).toEqual([
          "deleted a.txt",
          "created a.txt/inside",
          "created src",
          "deleted src/b.txt",
        ]);
      });

      test("handles the deletion of all files", async () => {
        const { path } = await open();
        await writeFiles(path, { "a.txt": null, src: null, ".gitignore": null });
        expect((await collect()).stats.files.every((file) => file.change === "deleted")).toBe(true);
      });

      test.each(["gone", "never opened", "replaced by a link"])(
        'fails with "unavailable" for a checkout that is %s',
        async (how) => {
          const { path } = await open();
          if (how !== "never opened") await rm(path, { recursive: true });
          if (how === "replaced by a link") await symlink(repo.checkout, path);
          const tree = how === "never opened" ? "run_other" : name;
          await expect(collect(tree)).rejects.toMatchObject({ name: "UserError", kind: "unavailable" });
        },
      );
    });

    describe("squash and rebase", () => {
      test("squash creates one commit with the tree on the base, always the same", async () => {
        const { commit: base } = await sync();
        const first = await work({ "a.txt": "1\n" });
        const commit = await work({ "b.txt": "2\n" }, "second", first);
        const params = { project, task, commit, base, message: "feat: all of it\n\nWhy.", at: AT };
        const squashed = await workspaces.squash(params);
        expect(await workspaces.squash(params)).toBe(squashed);
        const { path } = await open(squashed, "look");
        expect(await git(path, "log", "--format=%B")).toBe("feat: all of it\n\nWhy.\n\nfirst\n");
        expect(await readFile(join(path, "b.txt"), "utf8")).toBe("2\n");
      });

      test("rebase keeps both sides and gives the same result when repeated", async () => {
        const { commit: oldBase } = await sync();
        const commit = await work({ "src/b.txt": "mine\n" });
        await repo.commit({ "a.txt": "theirs\n" });
        const { commit: newBase } = await sync();
        const params = { project, task, commit, oldBase, newBase, at: AT };
        const rebased = await workspaces.rebase(params);
        expect(await workspaces.rebase(params)).toBe(rebased);
        const { path } = await open(rebased ?? "", "look");
        expect(await readFile(join(path, "a.txt"), "utf8")).toBe("theirs\n");
        expect(await readFile(join(path, "src/b.txt"), "utf8")).toBe("mine\n");
        expect(await git(path, "log", "--format=%s")).toBe("work\nchange\nfirst");
      });

      test("rebase onto rewritten history includes nothing of the old base", async () => {
        await repo.commit({ "taken-back.txt": "x\n" });
        const { commit: oldBase } = await sync();
        const commit = await work({ "mine.txt": "mine\n" });
        await repo.git("reset", "-q", "--hard", "HEAD~1");
        await repo.git("push", "-qf", "origin", "main");
        const { commit: newBase } = await sync();
        const rebased = await workspaces.rebase({ project, task, commit, oldBase, newBase, at: AT });
        const { stats } = await workspaces.diff({ project, task, from: newBase, to: rebased ?? "", maxBytes: 1000 });
        expect(stats.files.map((file) => file.path)).toEqual(["mine.txt"]);
      });

      test("rebase returns null on a conflict and the same commit for the same base", async () => {
        const { commit: oldBase } = await sync();
        const commit = await work({ "a.txt": "mine\n" });
        expect(await workspaces.rebase({ project, task, commit, oldBase, newBase: oldBase, at: AT })).toBe(commit);
        const newBase = await repo.commit({ "a.txt": "theirs\n" });
        await sync();
        expect(await workspaces.rebase({ project, task, commit, oldBase, newBase, at: AT })).toBeNull();
      });
    });

    describe("push", () => {
      test("creates the branch, does nothing the second time, and replaces its own earlier push", async () => {
        const first = await work({ "a.txt": "1\n" });
        await push(first);
        await push(first);
        expect(await there()).toBe(first);
        const second = await work({ "a.txt": "2\n" }, "second");
        await push(second);
        expect(await there()).toBe(second);
        await push(first);
        expect(await there()).toBe(first);
      });

      test("creates the branch if an earlier push is missing on the remote", async () => {
        const first = await work({ "a.txt": "1\n" });
        await push(first);
        await repo.git("push", "-q", "origin", `:refs/heads/${branch}`);
        await push(first);
        expect(await there()).toBe(first);
      });

      test("rejects a branch that someone else created or moved", async () => {
        const first = await work({ "a.txt": "1\n" });
        await repo.git("push", "-q", "origin", `HEAD:refs/heads/${branch}`);
        await expect(push(first)).rejects.toMatchObject({ kind: "conflict" });
        await push(first, "agent/other");
        await repo.git("push", "-qf", "origin", "HEAD:refs/heads/agent/other");
        await expect(push(await work({ "a.txt": "2\n" }, "second"), "agent/other")).rejects.toMatchObject({
          kind: "conflict",
        });
        expect(await there("agent/other")).toBe(await repo.git("rev-parse", "HEAD"));
      });
    });

    test("readBranch returns the commit of exactly this branch on the remote", async () => {
      const commit = await work({ "a.txt": "changed\n" });
      const read = (of: string) => workspaces.readBranch({ project, remote: repo.remote, branch: of });
      expect(await read(branch)).toBeNull();
      await push(commit);
      expect(await read(branch)).toBe(commit);
      expect(await read("fix-it")).toBeNull();
      expect(await workspaces.listBranches({ project, remote: repo.remote, prefix: "agent" })).toEqual([branch]);
    });

    describe("diff", () => {
      test("returns a patch with statistics, cut at a complete line", async () => {
        const { commit: from } = await sync();
        const to = await work({ "a.txt": "one\nzwei ä\n", "z.txt": "line\n".repeat(1000) });
        const whole = await workspaces.diff({ project, task, from, to, maxBytes: 1_000_000 });
        expect(whole.cut).toBe(false);
        expect(whole.patch).toContain("-two\n+zwei ä\n");
        expect(whole.stats).toMatchObject({ insertions: 1001, deletions: 1 });
        const short = await workspaces.diff({ project, task, from, to, maxBytes: 300 });
        expect(short.cut).toBe(true);
        expect(Buffer.byteLength(short.patch)).toBeLessThanOrEqual(300);
        expect(whole.patch.startsWith(short.patch)).toBe(true);
        expect(short.patch.endsWith("\n")).toBe(true);
        expect(short.stats).toEqual(whole.stats);
      });
    });

    describe("close, remove, list", () => {
      test("list returns what exists and omits what was removed", async () => {
        expect(await workspaces.list()).toEqual([]);
        const { path } = await open();
        await open(undefined, "second");
        expect([await workspaces.list(), await workspaces.trees(task)]).toEqual([[task], [name, "second"]]);
        await workspaces.close(task, name);
        await workspaces.close(task, name);
        await expect(lstat(path)).rejects.toMatchObject({ code: "ENOENT" });
        expect([await workspaces.list(), await workspaces.trees(task)]).toEqual([[task], ["second"]]);
        await workspaces.remove(task);
        await workspaces.remove(task);
        expect(await workspaces.list()).toEqual([]);
      });

      test("close keeps the task's commits, and the name can be opened again", async () => {
        const commit = await work({ "a.txt": "1\n" });
        await workspaces.close(task, name);
        const { path } = await open(commit);
        expect(await readFile(join(path, "a.txt"), "utf8")).toBe("1\n");
      });
    });
  });
  testReadChanges(adapter, setup);
  testNoteSetup(adapter, setup);
  testPorts(adapter, setup);
  testPrepare(adapter, setup);
  testReuse(adapter, setup);
  testOverlay(adapter, setup);
  testRecentFiles(adapter, setup);
  testRescue(adapter, setup);
  testMergeBranch(adapter, setup);
  testChurn(adapter, setup);
}
