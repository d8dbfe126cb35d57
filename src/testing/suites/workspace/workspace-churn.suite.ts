import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasChangedMuch } from "../../../core/nightly/proposal.ts";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo } from "../../temp-repo.ts";
import type { Files, TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";
const lines = (count: number, word = "line"): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");

/** Contract of `churn`, part of workspace.suite.ts. */
export function testChurn(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): churn`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;

    const names = ['"quoted"\t.txt', ":(top)x", "-n", "*.txt", "line\nend.txt", "straße/grüße.txt"];
    const first: Files = {
      "a.txt": lines(20),
      "src/b.txt": lines(5),
      "src/c.txt": lines(3),
      "picture.bin": Buffer.from([0, 1, 2, 10, 255, 10]),
      "empty.txt": "",
      ...Object.fromEntries(names.map((name) => [name, lines(2)])),
    };

    beforeEach(async () => {
      repo = await createTempRepo(first);
      workspaces = setup.create(join(repo.path, "home"));
    });
    afterEach(() => repo.remove());

    const sync = async () => (await workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" })).commit;
    const churn = async (from: string, files: readonly string[]) =>
      await workspaces.churn({ project, from, to: await sync(), files });
    const head = () => repo.git("rev-parse", "HEAD");

    test("counts the larger of inserted and deleted lines, and the original lines", async () => {
      const from = await head();
      await repo.commit({ "a.txt": `${lines(18)}new\nnew\nnew\n`, "src/b.txt": null, "made.txt": lines(7) });
      expect(await churn(from, ["made.txt", "a.txt", "src/b.txt", "src/c.txt", "never.txt", "empty.txt"])).toEqual([
        { path: "made.txt", gone: false, changed: 7, lines: 0 },
        { path: "a.txt", gone: false, changed: 3, lines: 20 },
        { path: "src/b.txt", gone: true, changed: 5, lines: 5 },
        { path: "src/c.txt", gone: false, changed: 0, lines: 3 },
        { path: "never.txt", gone: false, changed: 0, lines: 0 },
        { path: "empty.txt", gone: false, changed: 0, lines: 0 },
      ]);
    });

    test("an empty file can be deleted, a moved file counts as deleted, and a mode change counts as nothing", async () => {
      const from = await head();
      await chmod(join(repo.checkout, "src/c.txt"), 0o755);
      await repo.commit({ "empty.txt": null, "a.txt": null, "moved.txt": lines(20) });
      expect((await churn(from, ["empty.txt", "a.txt"]))?.map(({ gone }) => gone)).toEqual([true, true]);
      expect(await churn(from, ["src/c.txt"])).toMatchObject([{ gone: false, changed: 0 }]);
    });

    test("accepts any file name, ignores attributes, and counts a binary file as a whole", async () => {
      const from = await head();
      await repo.commit({
        ...Object.fromEntries(names.map((name) => [name, lines(4)])),
        ".gitattributes": "* -diff binary\n",
        "other.txt": lines(50),
        "picture.bin": Buffer.from([0, 1, 2, 10, 254, 10, 7]),
      });
      expect(await churn(from, names)).toEqual(names.map((path) => ({ path, gone: false, changed: 2, lines: 2 })));
      const [picture] = (await churn(from, ["picture.bin"])) ?? [];
      expect(picture === undefined ? null : hasChangedMuch(picture)).toBe(true);
    });

    test("counts everything in a directory", async () => {
      const from = await head();
      await repo.commit({ "src/b.txt": null, "src/c.txt": lines(4) });
      expect(await churn(from, ["src/", "src", "sr"])).toEqual([
        { path: "src/", gone: false, changed: 6, lines: 8 },
        { path: "src", gone: false, changed: 6, lines: 8 },
        { path: "sr", gone: false, changed: 0, lines: 0 },
      ]);
      await repo.commit({ "src/c.txt": null });
      expect(await churn(from, ["src"])).toMatchObject([{ gone: true }]);
    });

    test("accepts more names than fit on a command line, and impossible names", async () => {
      const from = await head();
      await repo.commit({ "a.txt": lines(25) });
      const many = Array.from({ length: 12_000 }, (_, at) => `src/${"x".repeat(200)}/${at}.txt`);
      const found = await churn(from, [...many, "a.txt", "", "/", "nul\0.txt"]);
      expect(found).toHaveLength(12_004);
      expect(found?.filter(({ changed }) => changed > 0)).toEqual([
        { path: "a.txt", gone: false, changed: 5, lines: 20 },
      ]);
    });

    test("is null if the old commit is gone, and fails if the new one is", async () => {
      const to = await sync();
      expect(await workspaces.churn({ project, from: "f".repeat(40), to, files: ["a.txt"] })).toBeNull();
      for (const [name, commit] of [
        [project, "f".repeat(40)],
        ["never-synced", to],
      ] as const)
        await expect(workspaces.churn({ project: name, from: to, to: commit, files: [] })).rejects.toMatchObject({
          kind: "not_found",
        });
      await expect(workspaces.churn({ project, from: "--all", to, files: [] })).rejects.toMatchObject({
        kind: "invalid",
      });
    });
  });
}
