import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import {
  appendFile,
  chmod,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../ports/workspace.ts";
import { createTempRepo, git, writeFiles } from "../../testing/temp-repo.ts";
import type { TempRepo } from "../../testing/temp-repo.ts";
import { createGitWorkspaces } from "./workspaces.ts";

const execute = promisify(execFile);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const project = "shop";
const task = "task_attack";
const name = "run_attack";

/** Manipulated checkouts. None may start a program of the agent, or change or hide what is collected. */
describe("git collect: a checkout manipulated by the agent", () => {
  let repo: TempRepo;
  let workspaces: Workspaces;
  let tree: string;
  let marker: string;
  /** A program that leaves a trace when it runs. */
  let evil: string;

  beforeEach(async () => {
    repo = await createTempRepo({ "a.txt": "one\n", "b.txt": "two\n", "src/c.txt": "three\n" });
    const home = join(repo.path, "home");
    workspaces = createGitWorkspaces({
      mirrorsDir: join(home, "mirrors"),
      workspacesDir: join(home, "workspaces"),
      log,
      timeoutMs: 400,
    });
    const { commit } = await workspaces.sync({ project, remote: repo.remote, defaultBranch: null });
    tree = (await workspaces.open({ project, task, name, commit, branch: "agent/x", copy: null })).path;
    marker = join(repo.path, "marker");
    evil = join(repo.path, "evil.sh");
    await writeFile(evil, `#!/bin/sh\necho ran >> '${marker}'\n`);
    await chmod(evil, 0o755);
  });
  afterEach(() => repo.remove());

  const collect = () => workspaces.collect({ project, task, name, message: "work", at: 0 });
  const changed = async () => (await collect()).stats.files.map((file) => `${file.change} ${file.path}`);
  /** Opens the collected commit in a new workspace to inspect the result. */
  const reopen = async () => {
    const { commit } = await collect();
    const opened = await workspaces.open({
      project,
      task,
      name: "look",
      commit: commit ?? "",
      branch: "b",
      copy: null,
    });
    return opened.path;
  };

  describe("its git directory", () => {
    test("never runs fsmonitor, filters or a diff program from the agent's config", async () => {
      await git(tree, "config", "core.fsmonitor", evil);
      await git(tree, "config", "filter.evil.clean", evil);
      await git(tree, "config", "filter.evil.smudge", evil);
      await git(tree, "config", "diff.evil.textconv", evil);
      await writeFiles(tree, { ".gitattributes": "* filter=evil diff=evil\n", "a.txt": "changed\n" });
      // Control: an ordinary git call runs the agent's program.
      await git(tree, "status").catch(() => undefined);
      expect(existsSync(marker)).toBe(true);
      await rm(marker);
      expect(await changed()).toEqual(["created .gitattributes", "modified a.txt"]);
      expect(existsSync(marker)).toBe(false);
    });

    test("never runs hooks", async () => {
      await mkdir(join(tree, ".git/hooks"));
      for (const hook of ["pre-commit", "post-index-change", "reference-transaction", "post-checkout"]) {
        await symlink(evil, join(tree, ".git/hooks", hook));
      }
      await writeFiles(tree, { "a.txt": "changed\n" });
      await git(tree, "add", "-A");
      expect(existsSync(marker)).toBe(true);
      await rm(marker);
      expect(await changed()).toEqual(["modified a.txt"]);
      expect(existsSync(marker)).toBe(false);
    });

    test("ignores the agent's branch, commits, worktree setting and index flags", async () => {
      await git(tree, "update-index", "--assume-unchanged", "a.txt");
      await git(tree, "update-index", "--skip-worktree", "b.txt");
      await writeFiles(tree, { "a.txt": "hidden\n", "b.txt": "hidden\n" });
      expect(await git(tree, "status", "--porcelain")).toBe("");
      await git(tree, "checkout", "-q", "-b", "elsewhere");
      await writeFiles(tree, { "c.txt": "new\n" });
      await git(tree, "add", "c.txt");
      await git(tree, "commit", "-qm", "the agent's own");
      await git(tree, "config", "core.worktree", repo.path);
      expect(await changed()).toEqual(["modified a.txt", "modified b.txt", "created c.txt"]);
      const path = await reopen();
      expect(await git(path, "log", "--format=%s")).toBe("work\nfirst");
    });

    test.each(["removed", "a file", "a link to another repository", "a broken repository"])(
      "works with a git directory that is %s",
      async (how) => {
        await rename(join(tree, ".git"), join(repo.path, "moved"));
        if (how === "a file") await writeFile(join(tree, ".git"), `gitdir: ${join(repo.checkout, ".git")}\n`);
        if (how === "a link to another repository") await symlink(join(repo.checkout, ".git"), join(tree, ".git"));
        if (how === "a broken repository") await writeFiles(tree, { ".git/HEAD": "nonsense", ".git/objects": "x" });
        await writeFiles(tree, { "a.txt": "changed\n" });
        expect(await changed()).toEqual(["modified a.txt"]);
        expect(await repo.git("status", "--porcelain")).toBe("");
      },
    );

    test("ignores info/exclude and info/attributes", async () => {
      await writeFiles(tree, { ".git/info/exclude": "*\n", ".git/info/attributes": "* binary\n", "new.txt": "1\n2\n" });
      const { stats } = await collect();
      expect(stats.files).toMatchObject([{ path: "new.txt", insertions: 2, binary: false }]);
    });

    test("gives no write access to the mirror or the engine's directory", async () => {
      const before = await git(join(tree, "../engine.git"), "rev-parse", "--verify", "-q", "work").catch(() => "none");
      await writeFiles(tree, { "a.txt": "x\n" });
      await git(tree, "commit", "-qam", "mine");
      await git(tree, "gc", "--quiet", "--prune=now");
      expect(await git(tree, "remote")).toBe("");
      expect(before).toBe("none");
      await git(join(tree, "../engine.git"), "fsck", "--strict");
      expect(await changed()).toEqual(["modified a.txt"]);
    });
  });

  describe(".gitattributes", () => {
    test("do not convert bytes, and text is counted as text", async () => {
      await writeFiles(tree, {
        ".gitattributes": "* text eol=crlf working-tree-encoding=UTF-16 ident\n*.txt binary -diff\n",
      });
      await writeFiles(tree, { "a.txt": "$Id$\r\nx\n" });
      const { stats } = await collect();
      expect(stats.files).toMatchObject([{}, { path: "a.txt", insertions: 2, deletions: 1, binary: false }]);
      expect(await readFile(join(await reopen(), "a.txt"), "utf8")).toBe("$Id$\r\nx\n");
      const { commit } = await collect();
      const from = await repo.git("rev-parse", "HEAD");
      const { patch } = await workspaces.diff({ project, task, from, to: commit ?? "", maxBytes: 10_000 });
      expect(patch).toContain("+$Id$");
    });
  });

  describe("nested repositories", () => {
    test("are collected as plain files, run nothing and respect .gitignore", async () => {
      const sub = join(tree, "sub");
      await mkdir(sub);
      await git(sub, "init", "-q");
      await git(sub, "config", "core.fsmonitor", evil);
      await writeFiles(sub, { "inner.txt": "x\n", "deep/.git/HEAD": "ref: refs/heads/m\n", "deep/file": "y\n" });
      await writeFiles(sub, { ".gitignore": "build/\n", "build/out": "z\n" });
      await git(sub, "status");
      expect(existsSync(marker)).toBe(true);
      await rm(marker);
      expect(await changed()).toEqual(["created sub/.gitignore", "created sub/deep/file", "created sub/inner.txt"]);
      expect(existsSync(marker)).toBe(false);
    });

    test("do not turn copied files into work", async () => {
      await writeFiles(repo.checkout, { "conf/.env": "SECRET=1\n" });
      const commit = await repo.git("rev-parse", "HEAD");
      const copy = { from: repo.checkout, files: ["conf/.env"] };
      const opened = await workspaces.open({ project, task, name: "copied", commit, branch: "b", copy });
      await git(join(opened.path, "conf"), "init", "-q");
      await writeFiles(opened.path, { "conf/mine": "x\n" });
      const { stats } = await workspaces.collect({ project, task, name: "copied", message: "work", at: 0 });
      expect(stats.files.map((file) => file.path)).toEqual(["conf/mine"]);
    });

    test("do not hide files of a directory that exists in the base", async () => {
      await git(join(tree, "src"), "init", "-q");
      await writeFiles(tree, { "src/c.txt": "changed\n", "src/new.txt": "n\n" });
      expect(await changed()).toEqual(["modified src/c.txt", "created src/new.txt"]);
    });

    test("leave a submodule of the base unchanged", async () => {
      const link = `160000,${await repo.git("rev-parse", "HEAD")},lib`;
      await repo.git("update-index", "--add", "--cacheinfo", link);
      await repo.git("commit", "-qm", "submodule");
      await repo.git("push", "-q", "origin", "main");
      const { commit } = await workspaces.sync({ project, remote: repo.remote, defaultBranch: null });
      const opened = await workspaces.open({ project, task, name: "subs", commit, branch: "b", copy: null });
      const again = () => workspaces.collect({ project, task, name: "subs", message: "work", at: 0 });
      expect((await again()).commit).toBeNull();
      await git(join(opened.path, "lib"), "init", "-q");
      await git(join(opened.path, "lib"), "config", "core.fsmonitor", evil);
      await git(join(opened.path, "lib"), "commit", "-q", "--allow-empty", "-m", "moved");
      await rm(marker, { force: true });
      await writeFiles(opened.path, { "lib/x": "x\n", "a.txt": "changed\n" });
      const { stats } = await again();
      expect(stats.files.map((file) => file.path)).toEqual(["a.txt"]);
      expect(existsSync(marker)).toBe(false);
    });

    test.each([".GIT/config", ".git./config", "x/GIT~1/config", ".g\u200cit/config", ".git::$INDEX_ALLOCATION/x"])(
      "leave out paths that other systems treat as a git directory: %j",
      async (path) => {
        await writeFiles(tree, { [path]: "[core]\n", "a.txt": "changed\n" });
        expect(await changed()).toEqual(["modified a.txt"]);
      },
    );
  });

  describe("unusual files", () => {
    test("a link to a path outside stays a link and its target is not read", async () => {
      await writeFiles(repo.path, { "outside/c.txt": "secret\n", "outside/more.txt": "secret\n" });
      await rm(join(tree, "src"), { recursive: true });
      await symlink(join(repo.path, "outside"), join(tree, "src"));
      await rm(join(tree, "a.txt"));
      await symlink("/etc/passwd", join(tree, "a.txt"));
      expect(await changed()).toEqual(["modified a.txt", "created src", "deleted src/c.txt"]);
      const path = await reopen();
      expect(await readlink(join(path, "a.txt"))).toBe("/etc/passwd");
      expect(await readlink(join(path, "src"))).toBe(join(repo.path, "outside"));
    });

    test("named pipes and sockets are ignored and do not block git", async () => {
      await rm(join(tree, "b.txt"));
      for (const pipe of ["b.txt", "pipe", ".gitignore", "src/.gitattributes"])
        await execute("mkfifo", [join(tree, pipe)]);
      await git(tree, "init", "-q", "nested");
      await rm(join(tree, "nested/.git/HEAD"));
      await execute("mkfifo", [join(tree, "nested/.git/HEAD")]);
      await writeFiles(tree, { "a.txt": "changed\n" });
      expect(await changed()).toEqual(["modified a.txt", "deleted b.txt"]);
    });

    test.each([
      "new\nline",
      'quo"te',
      "-dash",
      "back\\slash",
      " lead",
      "trail ",
      "tab\t",
      "ünï",
      "--",
      ":(top)x",
      "#x",
    ])("collects a file named %j", async (odd) => {
      await writeFiles(tree, { [odd]: "x\n", [`${odd}dir/${odd}`]: "y\n" });
      const paths = (await collect()).stats.files.map((file) => file.path);
      expect(paths.toSorted()).toEqual([odd, `${odd}dir/${odd}`].toSorted());
      expect(await readFile(join(await reopen(), odd), "utf8")).toBe("x\n");
    });

    test("a name that is not valid text keeps its bytes and is shown with replacement characters", async () => {
      const bytes = Buffer.from([0x66, 0xff, 0xfe]);
      const at = (root: string) => Buffer.concat([Buffer.from(`${root}/`), bytes]);
      await writeFile(at(tree), "x\n");
      expect((await collect()).stats.files[0]?.path).toBe("f\ufffd\ufffd");
      expect(await readFile(at(await reopen()), "utf8")).toBe("x\n");
    });

    test("a file that is too large for a change is reported and not read", async () => {
      await writeFile(join(tree, "huge.bin"), "");
      await truncate(join(tree, "huge.bin"), 5 * 1024 ** 3);
      const before = process.memoryUsage().rss;
      await expect(collect()).rejects.toMatchObject({
        kind: "invalid",
        message: expect.stringContaining('"huge.bin"'),
      });
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
      await appendFile(join(tree, ".gitignore"), "huge.bin\n");
      expect(await changed()).toEqual(["created .gitignore"]);
    });

    test("a streamed file arrives complete", async () => {
      const content = Buffer.alloc(5 * 1024 ** 2 + 17, "0123456789abcdef");
      await writeFiles(tree, { "large.bin": content });
      expect(content.equals(await readFile(join(await reopen(), "large.bin")))).toBe(true);
    });

    test("deep directories are collected", async () => {
      const deep = `${"d/".repeat(500)}file`;
      await writeFiles(tree, { [deep]: "x\n" });
      expect(await changed()).toEqual([`created ${deep}`]);
    });
  });

  test("directories and files without permissions hide nothing", async () => {
    // Root can read everything, so permissions matter only for another user.
    const isRoot = process.getuid?.() === 0;
    const [uid, gid] = isRoot ? [12345, 12345] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    await writeFiles(tree, { "src/c.txt": "changed\n", "closed/new.txt": "n\n", "unreadable.txt": "u\n" });
    await chmod(join(tree, "src"), 0);
    await chmod(join(tree, "closed"), 0);
    await chmod(join(tree, "unreadable.txt"), 0);
    const script = join(repo.path, "as-user.ts");
    await writeFile(script, asUser(repo.path));
    if (isRoot) await execute("chown", ["-R", `${uid}:${gid}`, repo.path]);
    const { stdout } = await execute(process.execPath, [script, String(uid), String(gid)], {
      cwd: repo.path,
      env: { PATH: process.env["PATH"] },
    });
    expect(JSON.parse(stdout)).toEqual({ paths: ["closed/new.txt", "src/c.txt", "unreadable.txt"], left: [] });
  });
});

function asUser(root: string): string {
  return `
    import { chmod, mkdir } from "node:fs/promises";
    import { createGitWorkspaces } from ${JSON.stringify(new URL("workspaces.ts", import.meta.url).href)};
    // Only now: the other user may not be able to read our own files.
    process.setgid(Number(process.argv[3]));
    process.setuid(Number(process.argv[2]));
    const log = { info() {}, warn() {}, error() {} };
    const home = ${JSON.stringify(join(root, "home"))};
    const workspaces = createGitWorkspaces({ mirrorsDir: home + "/mirrors", workspacesDir: home + "/workspaces", log });
    const { stats } = await workspaces.collect({ project: "${project}", task: "${task}", name: "${name}", message: "m", at: 0 });
    await chmod(home + "/workspaces/${task}/${name}/src", 0o555);
    await mkdir(home + "/workspaces/${task}/${name}/closed/shut", { mode: 0 });
    await workspaces.remove("${task}");
    console.log(JSON.stringify({ paths: stats.files.map((file) => file.path), left: await workspaces.list() }));
  `;
}
