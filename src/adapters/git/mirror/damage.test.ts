import { chmod, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MachineError, UserError } from "../../../core/text/errors.ts";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, git, writeFiles } from "../../../testing/temp-repo.ts";
import type { TempRepo } from "../../../testing/temp-repo.ts";
import { mirrorName } from "../names.ts";
import { createGitWorkspaces } from "../workspaces.ts";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const project = "shop";

let repo: TempRepo;
let workspaces: Workspaces;
let mirror: string;
let engine: string;

beforeEach(async () => {
  repo = await createTempRepo({ "a.txt": "one\n", "src/b.txt": "two\n" });
  const mirrorsDir = join(repo.path, "home/mirrors");
  const workspacesDir = join(repo.path, "home/workspaces");
  workspaces = createGitWorkspaces({ mirrorsDir, workspacesDir, log });
  mirror = join(mirrorsDir, mirrorName(project));
  engine = join(workspacesDir, "task_old/engine.git");
});
afterEach(() => repo.remove());

async function openNew(task: string): Promise<string> {
  const { commit } = await workspaces.sync({ project, remote: repo.remote, defaultBranch: null });
  return (await workspaces.open({ project, task, name: "run_1", commit, branch: `agent/${task}`, copy: null })).path;
}

async function commitWork(task: string): Promise<string> {
  const path = await openNew(task);
  await writeFiles(path, { "a.txt": `${task}\n` });
  return await collect(task);
}

async function collect(task: string): Promise<string> {
  const { commit } = await workspaces.collect({ project, task, name: "run_1", message: "work", at: 0 });
  return commit ?? "";
}

/** Empties the files below `dir` whose path matches, as a power cut does with what was not flushed. */
async function empty(dir: string, matching: RegExp): Promise<void> {
  await damageAll(dir, matching, (file) => truncate(file, 0));
}

async function damageAll(dir: string, matching: RegExp, damage: (file: string) => Promise<void>): Promise<void> {
  const files = (await readdir(dir, { recursive: true })).filter((file) => matching.test(file));
  expect(files).not.toEqual([]);
  for (const path of files.map((file) => join(dir, file))) {
    if (!(await stat(path)).isFile()) continue;
    // Git's objects are read-only, which stops every user but root.
    await chmod(path, 0o644);
    await damage(path);
  }
}

const DAMAGES: readonly (readonly [string, (file: string) => Promise<void>])[] = [
  ["truncated", async (file) => truncate(file, Math.floor((await stat(file)).size / 2))],
  ["overwritten", async (file) => writeFile(file, "\0\0 no refs {]\n\0")],
];

describe("git mirror after a power cut", () => {
  test.each(DAMAGES)("is repaired from the remote if its packed refs are %s", async (_, damage) => {
    await openNew("task_old");
    await damage(join(mirror, "packed-refs"));
    expect(await readFile(join(await openNew("task_new"), "a.txt"), "utf8")).toBe("one\n");
  });

  test.each([
    ["HEAD", /^HEAD$/],
    ["its config", /^config$/],
    ["its attributes", /^info\/attributes$/],
    ["its branches", /^refs\/remotes\//],
    ["the base it noted", /^nightshift-base$/],
    ["every object", /^objects\/.*[0-9a-f]{8}/],
    ["everything", /./],
  ])("is repaired from the remote if %s is empty, and rescued work survives", async (what, files) => {
    const commit = await commitWork("task_old");
    await workspaces.rescue(project, "task_old", commit);
    await workspaces.remove("task_old");
    await repo.commit({ "a.txt": "newer\n" });
    await empty(mirror, what === "everything" ? /^(?!rescue\.git)/ : files);

    const path = await openNew("task_new");
    expect(await readFile(join(path, "a.txt"), "utf8")).toBe("newer\n");
    const retried = { project, task: "task_old", name: "again", commit, branch: "agent/x", copy: null };
    expect(await readFile(join((await workspaces.open(retried)).path, "a.txt"), "utf8")).toBe("task_old\n");
  });

  test("is repaired at the second attempt if objects are empty and the remote has nothing new", async () => {
    await openNew("task_old");
    await empty(mirror, /^objects\/.*[0-9a-f]{8}/);
    await expect(openNew("task_new")).rejects.toMatchObject({ kind: "unavailable" });
    expect(await readFile(join(await openNew("task_new"), "a.txt"), "utf8")).toBe("one\n");
    expect(await readdir(mirror)).not.toContain("nightshift-damaged");
  });

  test.each(
    DAMAGES.flatMap(([how, damage]) => [
      { how, damage, kind: "objects", files: 1, pattern: /^objects\/[0-9a-f]{2}\// },
      { how, damage, kind: "packs", files: 110, pattern: /^objects\/pack\/.*\.pack$/ },
      { how, damage, kind: "indexes of packs", files: 110, pattern: /^objects\/pack\/.*\.idx$/ },
    ]),
  )("is repaired at the second attempt if $kind are $how", async ({ damage, files, pattern }) => {
    // Git keeps what it fetches as a pack if there are many objects.
    await repo.commit(Object.fromEntries(Array.from({ length: files }, (_, file) => [`many/${file}`, `${file}\n`])));
    await openNew("task_old");
    await damageAll(mirror, pattern, damage);
    await openNew("task_new").catch((error: unknown) => expect(error).toMatchObject({ kind: "unavailable" }));
    expect(await readFile(join(await openNew("task_new"), "many/0"), "utf8")).toBe("0\n");
  });

  test("is repaired if it lost its packs and has only an empty folder left", async () => {
    await openNew("task_old");
    await rm(mirror, { recursive: true });
    await mkdir(mirror);
    expect(await readFile(join(await openNew("task_new"), "a.txt"), "utf8")).toBe("one\n");
  });
});

describe("git directory of a task after a power cut", () => {
  test.each([
    ["HEAD", /^HEAD$/],
    ["its config", /^config$/],
    ["the path to the mirror's objects", /^objects\/info\/alternates$/],
    ["its branch", /^refs\/heads\/work$/],
  ])("is repaired if %s is empty", async (_, files) => {
    const commit = await commitWork("task_old");
    await empty(engine, files);
    const { patch } = await workspaces.diff({
      project,
      task: "task_old",
      from: await repo.git("rev-parse", "HEAD"),
      to: commit,
      maxBytes: 10_000,
    });
    expect(patch).toContain("+task_old");
    await workspaces.push({ project, task: "task_old", remote: repo.remote, commit, branch: "agent/x" });
    await workspaces.rescue(project, "task_old", commit);
    expect(await git(repo.remote, "rev-parse", "agent/x")).toBe(commit);
  });

  test.each(DAMAGES)("is repaired if its packed refs are %s", async (_, damage) => {
    const commit = await commitWork("task_old");
    await damage(join(engine, "packed-refs"));
    const params = { project, task: "task_old", name: "again", commit, branch: "agent/x", copy: null };
    expect(await readFile(join((await workspaces.open(params)).path, "a.txt"), "utf8")).toBe("task_old\n");
  });

  test.each(DAMAGES)("is repaired if its branch or the index of a pack is %s", async (_, damage) => {
    const commit = await commitWork("task_old");
    await damageAll(engine, /^refs\/heads\/work$|\.idx$/, damage);
    expect(await collect("task_old")).toBe(commit);
    await workspaces.push({ project, task: "task_old", remote: repo.remote, commit, branch: "agent/x" });
    expect(await git(repo.remote, "rev-parse", "agent/x")).toBe(commit);
  });

  test.each(DAMAGES)("is repaired from the files of the run if its objects are %s", async (_, damage) => {
    const commit = await commitWork("task_old");
    await damageAll(engine, /\.pack$/, damage);
    expect(await collect("task_old")).toBe(commit);
  });

  test.each(DAMAGES)("reports trouble of the machine if the objects of the mirror are %s", async (_, damage) => {
    const commit = await commitWork("task_old");
    const from = await repo.git("rev-parse", "HEAD");
    await damageAll(mirror, /^objects\/[0-9a-f]{2}\//, damage);
    const readDiff = () => workspaces.diff({ project, task: "task_old", from, to: commit, maxBytes: 10_000 });
    await expect(readDiff()).rejects.toBeInstanceOf(MachineError);
    await workspaces.sync({ project, remote: repo.remote, defaultBranch: null });
    expect((await readDiff()).patch).toContain("+task_old");
  });

  test("that is gone with the work does not keep the task from being cleaned up", async () => {
    const commit = await commitWork("task_old");
    await rm(engine, { recursive: true });
    await workspaces.rescue(project, "task_old", commit);
    await workspaces.close("task_old", "run_1");
    await workspaces.remove("task_old");
    expect(await workspaces.list()).toEqual([]);
    const lost = { project, task: "task_old", name: "again", commit, branch: "agent/x", copy: null };
    await expect(workspaces.open(lost)).rejects.toBeInstanceOf(UserError);
  });
});
