import { chmod, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findProjectDir, listIgnoredFiles } from "./find-project.ts";
import { pathExists, findHome, homePaths, nameHome, personHome } from "./paths.ts";

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "nightshift-paths-")));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("nameHome", () => {
  it("creates nothing, and treats an empty HOME as not set", async () => {
    expect(nameHome({ HOME: dir })).toBe(join(dir, ".nightshift"));
    expect(await pathExists(join(dir, ".nightshift"))).toBe(false);
    expect(personHome({ HOME: "" })).toBe(personHome({}));
    expect(nameHome({ HOME: "" })).toMatch(/^\//);
  });
});

describe("findHome", () => {
  it("creates a private ~/.nightshift or $NIGHTSHIFT_HOME", async () => {
    const home = await findHome({ HOME: dir });
    expect(home).toBe(join(dir, ".nightshift"));
    expect(await modeOf(home)).toBe(0o700);
    expect(await findHome({ HOME: dir, NIGHTSHIFT_HOME: join(dir, "a/b") })).toBe(join(dir, "a/b"));
    expect(await findHome({ HOME: dir, NIGHTSHIFT_HOME: "" })).toBe(home);
  });

  it("removes the permissions of others from an existing home", async () => {
    await mkdir(join(dir, "home"));
    await chmod(join(dir, "home"), 0o755);
    await findHome({ NIGHTSHIFT_HOME: join(dir, "home") });
    expect(await modeOf(join(dir, "home"))).toBe(0o700);
  });

  it("refuses a home inside a repository, also through a link, and creates nothing there", async () => {
    await mkdir(join(dir, "repo/.git"), { recursive: true });
    await mkdir(join(dir, "repo/inside"));
    const wanted = join(dir, "repo/deep/home");
    await expect(findHome({ NIGHTSHIFT_HOME: wanted })).rejects.toThrow(/inside the git repository/);
    expect(await pathExists(join(dir, "repo/deep"))).toBe(false);
    await symlink("repo/inside", join(dir, "link"));
    await expect(findHome({ NIGHTSHIFT_HOME: join(dir, "link") })).rejects.toThrow(/inside the git repository/);
  });

  it("refuses a home inside a worktree, whose .git is a file", async () => {
    await writeFile(join(dir, ".git"), "gitdir: elsewhere\n");
    await expect(findHome({ HOME: dir })).rejects.toThrow(/inside the git repository/);
  });

  it("reports why a home cannot be used", async () => {
    await writeFile(join(dir, "file"), "");
    await expect(findHome({ NIGHTSHIFT_HOME: join(dir, "file/home") })).rejects.toThrow(
      /Cannot create Nightshift's home .*ENOTDIR/,
    );
    await expect(findHome({ NIGHTSHIFT_HOME: join(dir, "file") })).rejects.toThrow(
      /Cannot create Nightshift.s home|is no folder/,
    );
    await expect(findHome({ NIGHTSHIFT_HOME: "here" })).rejects.toThrow(/must be an absolute path/);
  });

  // The folder of another user that every machine has belongs to root.
  it.skipIf(process.getuid?.() === 0)("refuses a home that belongs to another user", async () => {
    await expect(findHome({ NIGHTSHIFT_HOME: "/usr" })).rejects.toThrow(/belongs to user 0/);
  });
});

describe("homePaths", () => {
  it("returns only paths inside the home", () => {
    const paths = Object.values(homePaths("/h"));
    expect(paths.every((path) => path === "/h" || path.startsWith("/h/"))).toBe(true);
    expect(new Set(paths).size).toBe(paths.length);
  });
});

describe("findProjectDir", () => {
  it("finds the repository, even if one of its folders has a nightshift.yaml", async () => {
    await mkdir(join(dir, "repo/.git"), { recursive: true });
    await mkdir(join(dir, "repo/shop/src"), { recursive: true });
    await writeFile(join(dir, "repo/shop/nightshift.yaml"), "");
    await writeFile(join(dir, "repo/nightshift.yaml"), "");
    expect(await findProjectDir(join(dir, "repo/shop/src"))).toBe(join(dir, "repo"));
    expect(await listIgnoredFiles(join(dir, "repo/shop/src"), join(dir, "repo"))).toEqual([
      join(dir, "repo/shop/nightshift.yaml"),
    ]);
  });

  it("finds the nearest parent with a nightshift.yaml outside of repositories", async () => {
    await mkdir(join(dir, "notes/2026/may"), { recursive: true });
    expect(await findProjectDir(join(dir, "notes/2026/may"))).toBeNull();
    await writeFile(join(dir, "notes/nightshift.yaml"), "");
    expect(await findProjectDir(join(dir, "notes/2026/may"))).toBe(join(dir, "notes"));
    await writeFile(join(dir, "notes/2026/nightshift.yaml"), "");
    expect(await findProjectDir(join(dir, "notes/2026/may"))).toBe(join(dir, "notes/2026"));
  });
});
