import { existsSync, lstatSync, readFileSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { git } from "../../src/testing/temp-repo.ts";
import { createUser, type User } from "../support/cli-user.ts";

/** A repository of someone else that the user cloned into their home directory. */
let user: User;
let clone: string;
let target: string;

beforeAll(async () => {
  user = await createUser();
  clone = user.repo.checkout;
  target = join(user.repo.path, ".bash_profile");
});

afterAll(async () => {
  await user.cleanUp();
});

describe("init in a hostile checkout", { timeout: 120_000 }, () => {
  it("does not create the target of a dangling link", async () => {
    await symlink("../.bash_profile", join(clone, "nightshift.yaml"));
    const result = await user.run("init");
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("symbolic link") });
    expect(existsSync(target)).toBe(false);
  });

  it("--force replaces a link instead of overwriting its target", async () => {
    await writeFile(target, "echo mine\n");
    expect(await user.run("init")).toMatchObject({ code: 2 });
    expect(await user.run("init", "--force")).toMatchObject({ code: 0 });
    expect(readFileSync(target, "utf8")).toBe("echo mine\n");
    expect(lstatSync(join(clone, "nightshift.yaml")).isFile()).toBe(true);
  });

  it("refuses a default branch that a shell would execute", async () => {
    const branch = "$(touch${IFS}owned)";
    const other = join(user.repo.path, "other");
    await git(user.repo.path, "init", "--quiet", "--template=", `--initial-branch=${branch}`, other);
    await git(other, "commit", "--quiet", "--allow-empty", "--message=first");
    const result = await user.runIn(other, "init");
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("default branch") });
    expect(existsSync(join(other, "nightshift.yaml"))).toBe(false);
  });

  it("--yes names the hosts that the repository chose", async () => {
    const other = join(user.repo.path, "packages");
    await git(user.repo.path, "init", "--quiet", "--template=", "--initial-branch=main", other);
    await writeFile(join(other, "package.json"), "{}\n");
    await writeFile(join(other, ".npmrc"), "registry=https://registry.evil.example/\n");
    await git(other, "commit", "--quiet", "--allow-empty", "--message=first");
    const result = await user.runIn(other, "init", "--yes", "--no-run");
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("may connect to registry.evil.example") });
  });
});
