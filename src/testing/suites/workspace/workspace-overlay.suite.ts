import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, writeFiles, type TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const at = { project: "shop", task: "task_0123456789", branch: "agent/x", copy: null };

/** Contract of `open` with an overlay, part of workspace.suite.ts. */
export function testOverlay(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): overlay`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let base: string;
    let change: string;

    beforeEach(async () => {
      repo = await createTempRepo({
        "check.sh": "exit 1\n",
        "a.txt": "a\n",
        "gone.sh": "true\n",
        "grün/x.sh": "old\n",
      });
      workspaces = setup.create(join(repo.path, "home"));
      base = (await workspaces.sync({ project: "shop", remote: repo.remote, defaultBranch: "main" })).commit;
      const { path } = await workspaces.open({ ...at, name: "run_1", commit: base });
      const files = {
        "check.sh": "exit 0\n",
        "a.txt": "A\n",
        "gone.sh": null,
        "new.sh": "new\n",
        "grün/x.sh": "new\n",
      };
      await writeFiles(path, files);
      const collected = await workspaces.collect({ ...at, name: "run_1", message: "work", at: 0 });
      change = collected.commit ?? "";
    });
    afterEach(() => repo.remove());

    const openOverlaid = async (files: readonly string[], commit = change) =>
      (await workspaces.open({ ...at, name: "run_2", commit, overlay: { commit: base, files } })).path;

    test("takes the named files from the other commit, and leaves out those that it does not have", async () => {
      const path = await openOverlaid(["check.sh", "gone.sh", "new.sh", "grün/x.sh"]);
      expect((await readdir(path)).toSorted()).toEqual([".git", "a.txt", "check.sh", "gone.sh", "grün"]);
      const texts = ["a.txt", "check.sh", "gone.sh", "grün/x.sh"].map((file) => readFile(join(path, file), "utf8"));
      expect(await Promise.all(texts)).toEqual(["A\n", "exit 1\n", "true\n", "old\n"]);
    });

    test("ignores files that are equal in both commits or exist in neither", async () => {
      const path = await openOverlaid(["nothing.sh"]);
      expect(await readFile(join(path, "check.sh"), "utf8")).toBe("exit 0\n");
      expect((await readdir(path)).toSorted()).toEqual([".git", "a.txt", "check.sh", "grün", "new.sh"]);
    });

    test("restores a directory in whose place the change has a file", async () => {
      const { path } = await workspaces.open({ ...at, name: "run_3", commit: base });
      await rm(join(path, "grün"), { recursive: true });
      await writeFiles(path, { grün: "a file\n" });
      const { commit } = await workspaces.collect({ ...at, name: "run_3", message: "work", at: 0 });
      const overlaid = await openOverlaid(["grün", "grün/x.sh"], commit ?? "");
      expect((await lstat(join(overlaid, "grün"))).isDirectory()).toBe(true);
    });
  });
}
