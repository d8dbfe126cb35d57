import { execFile } from "node:child_process";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KeptSetup, RestoredSetup } from "../../../ports/workspace/setup-cache.ts";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, writeFiles, type Files, type TempRepo } from "../../../testing/temp-repo.ts";
import { createGitWorkspaces } from "../workspaces.ts";

const execute = promisify(execFile);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const project = "shop";
const MANIFEST = '{"name":"shop"}\n';
const INSTALLED: Files = { "node_modules/a/index.js": "a\n", "packages/x/node_modules/b.js": "b\n" };

let repo: TempRepo;
let workspaces: Workspaces;
let count = 0;

beforeEach(async () => {
  repo = await createTempRepo({
    "package.json": MANIFEST,
    "package-lock.json": "1\n",
    ".gitignore": "node_modules\n",
    "packages/x/x.js": "x\n",
    "src/main.js": "main\n",
  });
  workspaces = create();
});
afterEach(() => repo.remove());

const at = (...parts: readonly string[]) => join(repo.path, ...parts);
const create = () => createGitWorkspaces({ mirrorsDir: at("mirrors"), workspacesDir: at("workspaces"), log });

interface Tree {
  readonly task: string;
  readonly name: string;
  readonly path: string;
  readonly home: string;
}

/** A new workspace of a new task at the newest commit, with an empty home. */
async function open(copy: readonly string[] = []): Promise<Tree> {
  const { commit } = await workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" });
  const [task, name] = [`task_${++count}`, `run_${count}`];
  const params = { project, task, name, commit, branch: "agent/x", copy: { from: repo.checkout, files: copy } };
  const { path } = await workspaces.open(params);
  const home = at("homes", task);
  await mkdir(home, { recursive: true });
  return { task, name, path, home };
}

const restore = ({ task, name, home }: Tree, over = {}): Promise<RestoredSetup> =>
  workspaces.restoreSetup({ project, task, name, home, command: "npm ci", environment: "", path: "", ...over });

/** Plays a set-up in a new workspace and keeps what it made. */
async function install(files: Files, inHome: Files = {}, also: (tree: Tree) => Promise<void> = async () => undefined) {
  const tree = await open();
  const { key } = (await restore(tree)) as { key: string };
  await writeFiles(tree.path, files);
  await writeFiles(tree.home, inHome);
  await also(tree);
  const { task, name, home } = tree;
  return { tree, key, kept: await workspaces.keepSetup({ project, task, name, home, key }) };
}

const entryDir = async (): Promise<string> => {
  const dir = at("caches", (await readdir(at("caches")))[0] ?? "");
  return join(dir, (await readdir(dir))[0] ?? "");
};
const reason = (kept: KeptSetup): string => (kept.kind === "refused" ? kept.reason : kept.kind);

describe("set-up cache: restore", () => {
  test("a workspace of another task gets its own copy of everything that set-up made, also after a restart", async () => {
    const { kept } = await install(INSTALLED, { ".npm/_cacache/x": "cached\n", ".npm/_logs/1.log": "log\n" });
    expect(kept).toMatchObject({ kind: "kept" });
    workspaces = create();
    await workspaces.sweep();
    for (const round of [1, 2]) {
      const tree = await open();
      expect(await restore(tree), `round ${round}`).toMatchObject({ kind: "restored" });
      expect(await readFile(join(tree.path, "node_modules/a/index.js"), "utf8")).toBe("a\n");
      expect(await readFile(join(tree.path, "packages/x/node_modules/b.js"), "utf8")).toBe("b\n");
      expect(await readFile(join(tree.home, ".npm/_cacache/x"), "utf8")).toBe("cached\n");
      expect(await readdir(join(tree.home, ".npm"))).toEqual(["_cacache"]);
      // An agent changes its copy in every way. The next round must not see it.
      await writeFile(join(tree.path, "node_modules/a/index.js"), "evil\n");
      await writeFiles(tree.path, { "packages/x/node_modules/b.js": null, "node_modules/evil.js": "evil\n" });
      await writeFile(join(tree.home, ".npm/_cacache/x"), "evil\n");
    }
  });

  test("the copies are not part of the work, and names may contain anything", async () => {
    await install({ "node_modules/a\nb/ü *.js": "odd\n", "generated.txt": "made\n" });
    const tree = await open();
    expect(await restore(tree)).toMatchObject({ kind: "restored" });
    await workspaces.noteSetup(tree);
    expect(await readFile(join(tree.path, "node_modules/a\nb/ü *.js"), "utf8")).toBe("odd\n");
    expect(await workspaces.collect({ project, ...tree, message: "m", at: 0 })).toMatchObject({ commit: null });
  });

  test("other sources give the same result; other dependencies, commands, settings or copied files do not", async () => {
    await install(INSTALLED);
    await repo.commit({ "src/main.js": "changed\n" });
    expect(await restore(await open())).toMatchObject({ kind: "restored" });
    expect(await restore(await open(), { command: "npm ci --omit=dev" })).toMatchObject({ kind: "missing" });
    expect(await restore(await open(), { environment: "other" })).toMatchObject({ kind: "missing" });
    await writeFile(join(repo.checkout, ".npmrc.local"), "x\n");
    expect(await restore(await open([".npmrc.local"]))).toMatchObject({ kind: "missing" });
    await repo.commit({ "package-lock.json": "2\n", ".npmrc.local": null });
    expect(await restore(await open())).toMatchObject({ kind: "missing" });
    await repo.commit({ "package-lock.json": "1\n" });
    expect(await restore(await open())).toMatchObject({ kind: "restored" });
  });

  test("a project whose scripts run during the installation depends on all files", async () => {
    await repo.commit({ "package.json": '{"scripts":{"prepare":"node build.js"}}\n' });
    await install(INSTALLED);
    expect(await restore(await open())).toMatchObject({ kind: "restored" });
    await repo.commit({ "src/main.js": "changed\n" });
    expect(await restore(await open())).toMatchObject({ kind: "missing" });
  });

  test("a new version of a tool is a different input", async () => {
    await mkdir(at("bin"));
    await writeFile(at("bin/npm"), "1");
    const tree = await open();
    const { key } = (await restore(tree, { path: at("bin") })) as { key: string };
    await writeFile(at("bin/npm"), "22");
    expect(await restore(tree, { path: at("bin") })).toMatchObject({ kind: "missing" });
    expect(((await restore(tree, { path: at("bin") })) as { key: string }).key).not.toBe(key);
  });

  test("paths of the first workspace and home become those of the new one, in texts and links", async () => {
    await install({}, {}, async ({ path, home }) => {
      await writeFiles(path, { ".venv/bin/tool": `#!${path}/.venv/bin/python\n# ${home}/x\n` });
      await chmod(join(path, ".venv/bin/tool"), 0o555);
      await symlink(`${home}/python`, join(path, ".venv/bin/python"));
      await writeFiles(path, { ".venv/cache.pyc": Buffer.from(`\0${path}`) });
    });
    const tree = await open();
    expect(await restore(tree)).toMatchObject({ kind: "restored" });
    const tool = join(tree.path, ".venv/bin/tool");
    expect(await readFile(tool, "utf8")).toBe(`#!${tree.path}/.venv/bin/python\n# ${tree.home}/x\n`);
    expect((await lstat(tool)).mode & 0o777).toBe(0o555);
    expect(await readlink(join(tree.path, ".venv/bin/python"))).toBe(`${tree.home}/python`);
  });

  test("nothing is replaced, and no link of the repository is followed", async () => {
    await install(INSTALLED);
    await mkdir(at("outside"));
    for (const files of [{ "packages/x": null }, { "packages/x/node_modules/mine.js": "mine\n" }]) {
      await repo.commit(files);
      if (!("packages/x/node_modules/mine.js" in files))
        await symlink(at("outside"), join(repo.checkout, "packages/x"));
      await repo.commit({});
      const tree = await open();
      expect(await restore(tree)).toMatchObject({ kind: "occupied", key: null });
      expect(await readdir(tree.path)).not.toContain("node_modules");
      await rm(join(repo.checkout, "packages/x"), { recursive: true });
    }
    expect(await readdir(at("outside"))).toEqual([]);
  });

  test("a later run with the same home gets only the files of the workspace", async () => {
    await install(INSTALLED, { "go/mod": "x\n" });
    const tree = await open();
    expect(await restore(tree)).toMatchObject({ kind: "restored" });
    await writeFiles(tree.home, { "go/mine": "mine\n", ".agent/session": "1\n" });
    const { commit } = await workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" });
    const next = { ...tree, name: `${tree.name}b` };
    await workspaces.open({ project, ...next, commit, branch: "agent/x", copy: null });
    expect(await restore(next)).toMatchObject({ kind: "restored" });
    expect(await readFile(join(tree.home, "go/mine"), "utf8")).toBe("mine\n");
    const foreign = await open();
    await writeFiles(foreign.home, { "go/planted": "planted\n" });
    expect(await restore(foreign)).toMatchObject({ kind: "occupied", key: null });
  });

  test("nothing may be kept of a set-up whose home had files before", async () => {
    const tree = await open();
    await writeFiles(tree.home, { ".npmrc": "registry=evil\n" });
    expect(await restore(tree)).toEqual({ kind: "missing", key: null });
  });
});

describe("set-up cache: damage", () => {
  test.each([
    ["a missing file", async (dir: string) => rm(join(dir, "files/0/a/index.js"))],
    ["a file cut off by a power failure", async (dir: string) => truncate(join(dir, "files/0/a/index.js"), 0)],
    ["an unreadable description", async (dir: string) => writeFile(join(dir, "entry.json"), '{"keptAt":')],
    ["no description", async (dir: string) => rm(join(dir, "entry.json"))],
    ["missing files", async (dir: string) => rm(join(dir, "files"), { recursive: true })],
  ])("%s is noticed once and leaves the workspace unchanged", async (_, damage) => {
    await install(INSTALLED);
    await damage(await entryDir());
    const tree = await open();
    const before = await readdir(tree.path, { recursive: true });
    const found = await restore(tree);
    expect(found).toMatchObject({ kind: "damaged" });
    expect(await readdir(tree.path, { recursive: true })).toEqual(before);
    expect(await restore(tree)).toMatchObject({ kind: "missing" });
    expect((await install(INSTALLED)).kept).toMatchObject({ kind: "kept" });
    expect(await restore(await open())).toMatchObject({ kind: "restored" });
  });

  test("what a crash left half built is not used, and is removed at the next start", async () => {
    await install(INSTALLED);
    const dir = join(await entryDir(), "..");
    await writeFiles(dir, { ".building-abc/files/0/x": "half\n", ".removed-abc/x": "half\n" });
    workspaces = create();
    await workspaces.sweep();
    expect(await readdir(dir)).toHaveLength(1);
  });
});

describe("set-up cache: keep", () => {
  test.each<[what: string, make: (tree: Tree) => Promise<unknown>, expected: RegExp]>([
    ["a pipe", ({ path }) => execute("mkfifo", [join(path, "node_modules/pipe")]), /pipe is neither a file/],
    ["a set-uid program", ({ path }) => chmod(join(path, "node_modules/a/index.js"), 0o4755), /rights of its owner/],
    [
      "a changed file of the repository",
      ({ path }) => writeFile(join(path, "package-lock.json"), "9\n"),
      /it changes pack/,
    ],
    ["a deleted file of the repository", ({ path }) => rm(join(path, "src/main.js")), /it changes src\/main\.js/],
    ["a huge file", ({ path }) => truncate(join(path, "node_modules/a/index.js"), 5e9), /more than .* 4 GB/],
    [
      "a program with the path of the workspace",
      ({ path }) => writeFile(join(path, "node_modules/a.node"), Buffer.from(`\0${path}\0`)),
      /a\.node contains the path/,
    ],
  ])("%s is refused, and leaves nothing", async (_, make, expected) => {
    const { kept } = await install(INSTALLED, {}, async (tree) => void (await make(tree)));
    expect(reason(kept)).toMatch(expected);
    const left = await readdir(at("caches"), { recursive: true }).catch(() => []);
    expect(left.filter((name) => name.includes("/"))).toEqual([]);
    expect(await restore(await open())).toMatchObject({ kind: "missing" });
  });

  test("a node_modules that is a link to somewhere else is kept as a link, and its target is never touched", async () => {
    await writeFiles(at("outside"), { "secret.txt": "secret\n" });
    await install({}, {}, ({ path }) => symlink(at("outside"), join(path, "node_modules")));
    const tree = await open();
    expect(await restore(tree)).toMatchObject({ kind: "restored" });
    expect(await readlink(join(tree.path, "node_modules"))).toBe(at("outside"));
    expect(await readdir(await entryDir().then((dir) => join(dir, "files")))).toEqual(["0"]);
    expect((await lstat(join(await entryDir(), "files/0"))).isSymbolicLink()).toBe(true);
    await workspaces.remove(tree.task);
    expect(await readdir(at("outside"))).toEqual(["secret.txt"]);
  });

  test("two runs that finish the same set-up at once keep one", async () => {
    const [one, other] = [await open(), await open()];
    const keep = async (tree: Tree) => {
      const { key } = (await restore(tree)) as { key: string };
      await writeFiles(tree.path, INSTALLED);
      return workspaces.keepSetup({ project, ...tree, key });
    };
    for (const kept of await Promise.all([keep(one), keep(other)])) expect(kept).toMatchObject({ kind: "kept" });
    expect(await readdir(join(await entryDir(), ".."))).toHaveLength(1);
    expect(await restore(await open())).toMatchObject({ kind: "restored" });
  });

  test("the newest three are kept for at most a week", async () => {
    for (const version of ["1\n", "2\n", "3\n", "4\n"]) {
      await repo.commit({ "package-lock.json": version });
      await install(INSTALLED);
    }
    const dir = join(await entryDir(), "..");
    expect(await readdir(dir)).toHaveLength(3);
    expect(await restore(await open())).toMatchObject({ kind: "restored" });
    for (const name of await readdir(dir)) {
      const file = join(dir, name, "entry.json");
      const entry = JSON.parse(await readFile(file, "utf8")) as { keptAt: number };
      await writeFile(file, JSON.stringify({ ...entry, keptAt: entry.keptAt - 8 * 24 * 3_600_000 }));
    }
    expect(await restore(await open())).toMatchObject({ kind: "missing" });
    await workspaces.removeOldSetups();
    expect(await readdir(dir)).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)("files of a run's user belong to Nightshift in the cache", async () => {
    await install(INSTALLED, {}, async ({ path }) => {
      await execute("chown", ["-R", "23456:23456", path]);
      await chown(path, 23456, 23456);
    });
    expect(await lstat(join(await entryDir(), "files/0/a/index.js"))).toMatchObject({ uid: 0, gid: 0 });
  });
});
