import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, git } from "../../temp-repo.ts";
import type { TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";
const task = "task_0123456789";
const ref = "refs/pull/7/head";

/** Contract of fetching somebody else's change request, part of workspace.suite.ts. */
export function testRequests(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): change requests of other people`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let base: string;

    const fetch = (params: { task?: string; ref?: string; target?: string } = {}) =>
      workspaces.fetchRequest({
        project,
        remote: repo.remote,
        defaultBranch: "main",
        task,
        ref,
        target: "main",
        ...params,
      });
    /** Pushes a commit to the ref of the change request only, as a forge does for a fork. */
    const pushRequest = async (text: string): Promise<string> => {
      await repo.git("checkout", "-q", "--detach", base);
      await git(repo.checkout, "commit", "-q", "--allow-empty", `--message=${text}`);
      await repo.git("push", "-q", "--force", "origin", `HEAD:${ref}`);
      const commit = await repo.git("rev-parse", "HEAD");
      await repo.git("checkout", "-q", "main");
      return commit;
    };

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "one\n" });
      workspaces = setup.create(join(repo.path, "home"));
      base = await repo.git("rev-parse", "HEAD");
    });
    afterEach(() => repo.remove());

    test("returns the newest commit and where it left the target branch, also after a force-push", async () => {
      const first = await pushRequest("first");
      await repo.commit({ "a.txt": "newer\n" });
      expect(await fetch()).toEqual({ commit: first, mergeBase: base });
      const second = await pushRequest("rewritten");
      expect(await fetch()).toEqual({ commit: second, mergeBase: base });
      const { path } = await workspaces.open({ project, task, name: "run_1", commit: second, branch: "x", copy: null });
      expect(await readFile(join(path, "a.txt"), "utf8")).toBe("one\n");
    });

    test("keeps the commits away from other tasks", async () => {
      const commit = await pushRequest("first");
      await fetch();
      const other = { project, task: "task_other", name: "run_1", commit, branch: "x", copy: null };
      await expect(workspaces.open(other)).rejects.toMatchObject({ kind: "not_found" });
    });

    test("refuses a ref or a target that does not exist, and a history of its own", async () => {
      await expect(fetch()).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining(ref) });
      await pushRequest("first");
      await expect(fetch({ target: "gone" })).rejects.toMatchObject({ kind: "not_found" });
      await expect(fetch({ ref: "--upload-pack=touch x" })).rejects.toMatchObject({ kind: "invalid" });
      const orphan = await repo.git("commit-tree", "-m", "orphan", "main^{tree}");
      await repo.git("push", "-q", "--force", "origin", `${orphan}:${ref}`);
      await expect(fetch()).rejects.toMatchObject({ kind: "conflict" });
    });

    test("refuses malformed objects", async () => {
      await repo.git("config", "core.protectHFS", "false");
      const blob = await repo.git("rev-parse", "HEAD:a.txt");
      const tree = (await git(repo.checkout, "-c", "core.protectNTFS=false", "rev-parse", "HEAD^{tree}")).trim();
      expect([blob, tree].every((hash) => /^[0-9a-f]{40}$/.test(hash))).toBe(true);
      // A tree with an entry named `.git`, which no git command would write.
      const { execFileSync } = await import("node:child_process");
      const content = Buffer.concat([Buffer.from("40000 .git\0"), Buffer.from(tree, "hex")]);
      const evil = execFileSync("git", ["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], {
        cwd: repo.checkout,
        input: content,
      })
        .toString()
        .trim();
      const commit = await repo.git("commit-tree", "-p", base, "-m", "evil", evil);
      await git(repo.remote, "config", "receive.fsckObjects", "false");
      await repo.git("-c", "core.protectHFS=false", "push", "-q", "--force", "origin", `${commit}:${ref}`);
      await expect(fetch()).rejects.toThrow(/hasDotgit/);
    });
  });
}
