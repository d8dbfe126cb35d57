import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TrialBranch } from "../../../ports/workspace/trial-merges.ts";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, git, writeFiles, type Files, type TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";

const open = ({ task }: TrialBranch, targetConflicts: readonly string[] = []) => ({
  task,
  status: "open",
  targetConflicts,
});

/** Contract of `tryMerges`. */
export function testTrialMerges(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): tryMerges`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let base: string;
    let count: number;

    const sync = () => workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" });
    const tryAll = (...branches: readonly TrialBranch[]) => workspaces.tryMerges({ project, target: "main", branches });

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "one\ntwo\nthree\n", "b.txt": "one\n", "c ü.txt": "x\n" });
      workspaces = setup.create(join(repo.path, "home"));
      ({ commit: base } = await sync());
      count = 0;
    });
    afterEach(() => repo.remove());

    /** A pushed branch with these files. */
    async function publish(files: Files): Promise<TrialBranch> {
      const task = `task_000000000${++count}`;
      const branch = `agent/${count}`;
      const { path } = await workspaces.open({ project, task, name: "run", commit: base, branch, copy: null });
      await writeFiles(path, files);
      const collected = await workspaces.collect({ project, task, name: "run", message: "work", at: 0 });
      const commit = collected.commit ?? "";
      await workspaces.push({ project, task, remote: repo.remote, commit, branch });
      return { task, branch, commit };
    }

    test("names the files that two branches change in different ways, and keeps nothing", async () => {
      const [one, two, three] = [
        await publish({ "a.txt": "ONE\ntwo\nthree\n", "c ü.txt": "y\n" }),
        await publish({ "a.txt": "uno\ntwo\nthree\n", "c ü.txt": "z\n" }),
        await publish({ "b.txt": "two\n" }),
      ];
      const before = await readdir(join(repo.path, "home"), { recursive: true });
      const tried = {
        branches: [one, two, three].map((branch) => open(branch)),
        conflicts: [{ tasks: [one.task, two.task], files: ["a.txt", "c ü.txt"] }],
      };
      expect(await tryAll(one, two, three)).toEqual(tried);
      expect(await tryAll(one, two, three)).toEqual(tried);
      expect(await readdir(join(repo.path, "home"), { recursive: true })).toEqual(before);
    });

    test("names the files that conflict with new commits of the target", async () => {
      const one = await publish({ "a.txt": "ONE\ntwo\nthree\n" });
      await repo.commit({ "a.txt": "eins\ntwo\nthree\n" });
      await sync();
      expect((await tryAll(one)).branches).toEqual([open(one, ["a.txt"])]);
    });

    test("says which branches are merged, deleted at the remote or not fetched", async () => {
      const [merged, gone, missing] = [
        await publish({ "a.txt": "ONE\ntwo\nthree\n" }),
        await publish({ "b.txt": "two\n" }),
        await publish({ "b.txt": "three\n" }),
      ];
      await sync();
      await git(repo.remote, "update-ref", "refs/heads/main", merged.commit);
      await git(repo.remote, "update-ref", "-d", `refs/heads/${gone.branch}`);
      await sync();
      const unknown = { ...missing, commit: "f".repeat(40) };
      const { branches, conflicts } = await tryAll(merged, gone, unknown);
      expect(branches.map(({ status }) => status)).toEqual(["merged", "gone", "missing"]);
      expect(conflicts).toEqual([]);
    });

    test("finds the branch of a task whose files were removed", async () => {
      const one = await publish({ "a.txt": "ONE\ntwo\nthree\n" });
      await workspaces.remove(one.task);
      expect((await tryAll(one)).branches).toMatchObject([{ status: "missing" }]);
      await sync();
      expect((await tryAll(one)).branches).toEqual([open(one)]);
    });

    test("without a mirror, all branches are missing", async () => {
      const branch = { task: "task_0000000009", branch: "agent/9", commit: base };
      const tried = await workspaces.tryMerges({ project: "other", target: "main", branches: [branch] });
      expect(tried.branches).toMatchObject([{ status: "missing" }]);
    });
  });
}
