import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTempRepo, type TempRepo } from "../../testing/temp-repo.ts";
import { programVersion } from "./program-version.ts";

let repo: TempRepo;
beforeEach(async () => {
  repo = await createTempRepo({ "package.json": '{"version":"1.2.3"}\n' });
});
afterEach(() => repo.remove());

const headVersion = async (): Promise<string> => `1.2.3+${(await repo.git("rev-parse", "HEAD")).trim().slice(0, 10)}`;

it("program version: the same version at another commit of a clone differs, so that an old daemon is noticed", async () => {
  const before = programVersion(repo.checkout);
  expect(before).toBe(await headVersion());
  await repo.commit({ "a.ts": "1\n" });
  expect(programVersion(repo.checkout)).toBe(await headVersion());
  expect(programVersion(repo.checkout)).not.toBe(before);
});

it("program version: packed refs, a detached HEAD and a linked worktree name their commit", async () => {
  await repo.git("pack-refs", "--all");
  expect(programVersion(repo.checkout)).toBe(await headVersion());
  await repo.git("checkout", "--quiet", "--detach");
  expect(programVersion(repo.checkout)).toBe(await headVersion());
  const worktree = join(repo.path, "worktree");
  await repo.git("worktree", "add", "--quiet", "-b", "other", worktree);
  expect(programVersion(worktree)).toBe(await headVersion());
});

it("program version: outside of a clone, or with damaged files of git, it is the version of package.json", async () => {
  await writeFile(join(repo.path, "package.json"), '{"version":"1.2.3"}\n');
  expect(programVersion(repo.path)).toBe("1.2.3");
  await writeFile(join(repo.checkout, ".git/HEAD"), "");
  expect(programVersion(repo.checkout)).toBe("1.2.3");
});
