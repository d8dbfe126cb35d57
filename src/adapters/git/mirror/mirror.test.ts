import { createHash } from "node:crypto";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readFile,
  readdir,
  readlink,
  symlink,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, git, writeFiles } from "../../../testing/temp-repo.ts";
import type { TempRepo } from "../../../testing/temp-repo.ts";
import { mirrorName } from "../names.ts";
import { createGitWorkspaces } from "../workspaces.ts";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const project = "Team/Shop ✓";
const task = "task_mirror";
const name = "run_mirror";

describe("git mirror of a project", () => {
  let repo: TempRepo;
  let workspaces: Workspaces;
  let mirror: string;

  beforeEach(async () => {
    repo = await createTempRepo({ "a.txt": "one\n" });
    const mirrorsDir = join(repo.path, "home/mirrors");
    workspaces = createGitWorkspaces({ mirrorsDir, workspacesDir: join(repo.path, "home/workspaces"), log });
    mirror = join(mirrorsDir, mirrorName(project));
  });
  afterEach(() => repo.remove());

  const sync = (remote: string, defaultBranch: string | null = null) =>
    workspaces.sync({ project, remote, defaultBranch });

  test("has the remote's branches, prunes deleted ones and keeps rescued work", async () => {
    await repo.git("push", "-q", "origin", "HEAD:old", "HEAD:kept");
    await sync(repo.remote);
    await git(mirror, "update-ref", "refs/nightshift/rescue/task_x", await repo.git("rev-parse", "HEAD"));
    await repo.git("push", "-q", "origin", ":old", "HEAD:kept/not", ":kept");
    await sync(repo.remote);
    expect((await git(mirror, "for-each-ref", "--format=%(refname)")).split("\n")).toEqual([
      "refs/nightshift/rescue/task_x",
      "refs/remotes/origin/kept/not",
      "refs/remotes/origin/main",
    ]);
  });

  test("a sweep removes the leftovers of a crashed process and nothing else", async () => {
    await sync(repo.remote);
    const whole = await readdir(mirror, { recursive: true });
    // An unrelated living process has the pid of the dead one, so without the sweep its lock would block us forever.
    await symlink(String(process.ppid), `${mirror}.lock`);
    await mkdir(`${mirror}.building`);
    for (const left of [
      "nightshift-base.0a1b.lock",
      "packed-refs.lock",
      "refs/remotes/origin/main.lock",
      "objects/tmp_obj_x",
    ])
      await writeFile(join(mirror, left), "");
    await workspaces.sweep();
    expect(await readdir(mirror, { recursive: true })).toEqual(whole);
    expect(await readdir(join(mirror, ".."))).toEqual([mirrorName(project)]);
    await repo.commit({ "a.txt": "two\n" });
    expect((await sync(repo.remote)).commit).toBe(await repo.git("rev-parse", "HEAD"));
  });

  test("fetches no tags and no other refs", async () => {
    await repo.git("tag", "v1");
    await repo.git("push", "-q", "origin", "v1", "HEAD:refs/notes/x");
    await sync(repo.remote);
    expect(await git(mirror, "for-each-ref", "--format=%(refname)")).toBe("refs/remotes/origin/main");
  });

  test("projects with similar names have separate mirrors", () => {
    const names = ["a/b", "a-b", "A-B", "", "é", "x".repeat(500), `${"x".repeat(500)}y`, "../..", "."].map(mirrorName);
    expect(new Set(names).size).toBe(names.length);
    for (const found of names) expect(found).toMatch(/^[a-z0-9-]{1,60}\.git$/);
  });

  describe("with the user's checkout as the source", () => {
    test("leaves the checkout unchanged, including uncommitted and staged work", async () => {
      await writeFiles(repo.checkout, { "a.txt": "dirty\n", "staged.txt": "s\n", "untracked.txt": "u\n" });
      await repo.git("add", "staged.txt");
      const before = await fingerprint(repo.checkout);
      const { commit } = await sync(repo.checkout);
      const { path } = await workspaces.open({ project, task, name, commit, branch: "agent/x", copy: null });
      expect(await readFile(join(path, "a.txt"), "utf8")).toBe("one\n");
      await writeFiles(path, { "a.txt": "two\n" });
      await workspaces.collect({ project, task, name, message: "work", at: 0 });
      await workspaces.remove(task);
      expect(await fingerprint(repo.checkout)).toBe(before);
    });

    test("pushes a new branch to the checkout, but never to the checked-out branch", async () => {
      const { commit } = await sync(repo.checkout);
      const { path } = await workspaces.open({ project, task, name, commit, branch: "agent/x", copy: null });
      await writeFiles(path, { "a.txt": "two\n" });
      const collected = (await workspaces.collect({ project, task, name, message: "work", at: 0 })).commit ?? "";
      const push = (pushed: string, branch: string) =>
        workspaces.push({ project, task, remote: repo.checkout, commit: pushed, branch });
      await push(collected, "agent/x");
      expect(await repo.git("rev-parse", "agent/x")).toBe(collected);
      await repo.git("checkout", "-q", "agent/x");
      // Not even if the user lets pushes update the checked-out branch.
      await repo.git("config", "receive.denyCurrentBranch", "updateInstead");
      const params = { project, task, commit: collected, base: commit, message: "again", at: 0 };
      await expect(push(await workspaces.squash(params), "agent/x")).rejects.toMatchObject({
        kind: "conflict",
        message: expect.stringContaining("checked out"),
      });
      await expect(push(collected, "main")).rejects.toMatchObject({ kind: "conflict" });
    });

    test("works with a shallow checkout, from opening to pushing", async () => {
      await repo.commit({ "a.txt": "two\n" });
      const shallow = join(repo.path, "shallow");
      await git(repo.path, "clone", "-q", "--depth=1", `file://${repo.remote}`, shallow);
      const { commit } = await sync(shallow);
      const { path } = await workspaces.open({ project, task, name, commit, branch: "agent/x", copy: null });
      expect(await git(path, "log", "--format=%s")).toBe("change");
      await writeFiles(path, { "b.txt": "b\n" });
      const collected = (await workspaces.collect({ project, task, name, message: "work", at: 0 })).commit ?? "";
      await repo.commit({ "c.txt": "c\n" });
      await git(shallow, "fetch", "-q", "--depth=1");
      await git(shallow, "reset", "-q", "--hard", "origin/main");
      const newer = await sync(shallow);
      const bases = { oldBase: commit, newBase: newer.commit };
      const rebased = await workspaces.rebase({ project, task, commit: collected, ...bases, at: 0 });
      await workspaces.push({ project, task, remote: repo.remote, commit: rebased ?? "", branch: "agent/x" });
      await workspaces.rescue(project, task, rebased ?? "");
      expect(await git(repo.remote, "ls-tree", "--name-only", "agent/x")).toBe("a.txt\nb.txt\nc.txt");
      await workspaces.remove(task);
      const again = { project, task, name: "again", commit: rebased ?? "", branch: "agent/x", copy: null };
      const revived = await workspaces.open(again);
      expect(await git(revived.path, "log", "--format=%s")).toBe("work\nchange");
      // The mirror still decides where history ends.
      expect(await readlink(join(revived.path, "../engine.git/shallow"))).toBe(join(mirror, "shallow"));
    });
  });

  describe("failed fetches have clear error messages", () => {
    test("reports a path that is missing or not a repository", async () => {
      await mkdir(join(repo.path, "plain"));
      await writeFile(join(repo.path, "file"), "");
      for (const place of ["plain", "missing", "file"]) {
        const remote = join(repo.path, place);
        await expect(sync(remote)).rejects.toMatchObject({
          kind: "not_found",
          message: `The remote ${remote} cannot be reached: it is not a git repository.`,
        });
      }
    });

    test("reports a repository without commits", async () => {
      const empty = join(repo.path, "empty");
      await git(repo.path, "init", "-q", empty);
      await expect(sync(empty)).rejects.toMatchObject({
        kind: "conflict",
        message: expect.stringContaining("no commits"),
      });
      await expect(sync(empty, "main")).rejects.toMatchObject({ message: expect.stringContaining("no commits") });
    });

    test("reports a missing branch", async () => {
      await expect(sync(repo.remote, "mian")).rejects.toMatchObject({
        kind: "not_found",
        message: expect.stringContaining('no branch "mian". It has 1: main.'),
      });
    });

    test("reports a HEAD that names no branch", async () => {
      await repo.git("checkout", "-q", "--detach");
      await expect(sync(repo.checkout)).rejects.toMatchObject({ message: expect.stringContaining("names no branch") });
      expect(await sync(repo.checkout, "main")).toMatchObject({ branch: "main" });
    });

    test("reports an unreachable server without the password in the URL", async () => {
      const failure = await sync("http://bob:hunter2@127.0.0.1:1/x.git").catch((error: unknown) => error);
      expect(failure).toMatchObject({
        kind: "unavailable",
        message: "The remote http://127.0.0.1:1/x.git cannot be reached.",
      });
    });

    test("reports an unsupported object format", async () => {
      const other = join(repo.path, "sha256");
      await git(repo.path, "init", "-q", "--object-format=sha256", other);
      await git(other, "commit", "-q", "--allow-empty", "-m", "x");
      await expect(sync(other)).rejects.toMatchObject({ kind: "invalid", message: expect.stringContaining("SHA-256") });
    });

    // Only root can change the owner.
    test.runIf(process.getuid?.() === 0)("reports a repository that belongs to another user", async () => {
      await chmod(repo.path, 0o755);
      await chown(join(repo.checkout, ".git"), 12345, 12345);
      await chown(repo.checkout, 12345, 12345);
      await expect(sync(repo.checkout)).rejects.toMatchObject({
        kind: "forbidden",
        message: expect.stringContaining("another user"),
      });
    });

    test.each(["--upload-pack=touch marker", "-x", "", "ext::sh -c 'touch marker'", "a\nb"])(
      "rejects the remote %j",
      async (remote) => {
        await expect(sync(remote)).rejects.toMatchObject({ kind: "invalid" });
        expect(await readdir(repo.path)).not.toContain("marker");
      },
    );

    test.each(["-x", "a..b", "a b", "a.lock", "/a", "a/", "HEAD", "", "a\\b", "@{u}", ".a/b"])(
      "rejects the branch %j",
      async (branch) => {
        await expect(sync(repo.remote, branch)).rejects.toMatchObject({ kind: "invalid" });
      },
    );
  });

  describe("with several processes", () => {
    test("takes over the lock of a dead process and leaves no lock behind", async () => {
      await mkdir(join(mirror, ".."), { recursive: true });
      // Larger than any process id on Linux.
      await symlink("4999999", `${mirror}.lock`);
      await expect(sync(repo.remote)).resolves.toMatchObject({ branch: "main" });
      await expect(readlink(`${mirror}.lock`)).rejects.toMatchObject({ code: "ENOENT" });
    });

    test("waits for the lock of a living process", async () => {
      await mkdir(join(mirror, ".."), { recursive: true });
      await symlink(String(process.ppid), `${mirror}.lock`);
      let done = false;
      const waiting = sync(repo.remote).then(() => (done = true));
      // Time in which a sync that ignores the lock would end.
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(done).toBe(false);
      await unlink(`${mirror}.lock`);
      await waiting;
      expect(done).toBe(true);
    });

    test("stale locks of a killed git do not block the next one", async () => {
      const { commit } = await sync(repo.remote);
      const { path } = await workspaces.open({ project, task, name, commit, branch: "b", copy: null });
      const engine = join(path, "../engine.git");
      const locks = [
        join(mirror, "refs/remotes/origin/main.lock"),
        join(mirror, `rescue.git/refs/nightshift/rescue/${task}.lock`),
        join(engine, "refs/heads/work.lock"),
      ];
      await workspaces.rescue(project, "task_other", commit);
      for (const lock of locks) {
        await writeFile(lock, "");
        await utimes(lock, new Date(0), new Date(0));
      }
      const newer = await repo.commit({ "a.txt": "two\n" });
      expect(await sync(repo.remote)).toMatchObject({ commit: newer });
      await writeFiles(path, { "b.txt": "b\n" });
      const collected = await workspaces.collect({ project, task, name, message: "work", at: 0 });
      await workspaces.rescue(project, task, collected.commit ?? "");
      expect(await git(join(mirror, "rescue.git"), "rev-parse", `refs/nightshift/rescue/${task}`)).toBe(
        collected.commit,
      );
    });

    test("an unfinished mirror of a crashed process does not get in the way", async () => {
      await mkdir(`${mirror}.building/objects`, { recursive: true });
      const { commit } = await sync(repo.remote);
      const half = join(repo.path, "home/workspaces", task, ".engine");
      await mkdir(half, { recursive: true });
      await writeFile(join(half, "config"), "nonsense");
      const opened = await workspaces.open({ project, task, name, commit, branch: "b", copy: null });
      await writeFiles(join(opened.path, "../engine.git/building"), { "left/files/x": "x" });
      await workspaces.open({ project, task, name: "second", commit, branch: "b", copy: null });
      expect(await readdir(join(opened.path, "../engine.git/building"))).toEqual([]);
      expect([await workspaces.list(), await workspaces.trees(task)]).toEqual([[task], [name, "second"]]);
    });
  });

  test("recognizes its own push after a crash before it was recorded", async () => {
    const { commit: base } = await sync(repo.remote);
    await workspaces.open({ project, task, name, commit: base, branch: "b", copy: null });
    const make = (message: string) => workspaces.squash({ project, task, commit: base, base, message, at: 0 });
    const push = (commit: string) => workspaces.push({ project, task, remote: repo.remote, commit, branch: "agent/x" });
    const [one, two, three] = [await make("one"), await make("two"), await make("three")];
    await push(one);
    // Crashed after recording `three` and before pushing it: the branch is still at `two`.
    await push(two);
    const noted = join(repo.path, "home/workspaces", task, "engine.git/pushed/agent%2Fx");
    await writeFile(noted, `${one}\n${two}\n${three}\n`);
    const four = await make("four");
    await push(four);
    expect(await git(repo.remote, "rev-parse", "agent/x")).toBe(four);
  });

  test("passes on the message of a remote's hook that rejects a push", async () => {
    const { commit } = await sync(repo.remote);
    await workspaces.open({ project, task, name, commit, branch: "b", copy: null });
    const hook = join(repo.remote, "hooks/pre-receive");
    await writeFiles(repo.remote, { "hooks/pre-receive": "#!/bin/sh\necho 'no pushes on Sundays' >&2\nexit 1\n" });
    await chmod(hook, 0o755);
    const made = await workspaces.squash({ project, task, commit, base: commit, message: "m", at: 0 });
    await expect(
      workspaces.push({ project, task, remote: repo.remote, commit: made, branch: "agent/x" }),
    ).rejects.toMatchObject({ kind: "forbidden", message: expect.stringContaining("no pushes on Sundays") });
  });
});

/** Returns names, modes, times and contents of everything in a directory. */
async function fingerprint(root: string): Promise<string> {
  const hash = createHash("sha256");
  for (const entry of (await readdir(root, { recursive: true })).toSorted()) {
    const stat = await lstat(join(root, entry));
    hash.update(`${entry}\0${stat.mode}\0${stat.mtimeMs}\0`);
    if (stat.isFile()) hash.update(await readFile(join(root, entry)));
  }
  return hash.digest("hex");
}
