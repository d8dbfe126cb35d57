import { execFile } from "node:child_process";
import { chmod, open, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo } from "../../../testing/temp-repo.ts";
import type { TempRepo } from "../../../testing/temp-repo.ts";
import { findChanges } from "../read/changes.ts";
import { createGitWorkspaces } from "../workspaces.ts";

const execute = promisify(execFile);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const project = "shop";
const task = "task_owner";
const name = "run_owner";
const at = { project, task, name };

let repo: TempRepo;
let workspaces: Workspaces;

beforeEach(async () => {
  const files = Array.from({ length: 50 }, (_, number) => [`src/${number}.txt`, `number ${number}\n`] as const);
  repo = await createTempRepo({ "a.txt": "one\n", ...Object.fromEntries(files) });
  const [mirrorsDir, workspacesDir] = [join(repo.path, "mirrors"), join(repo.path, "workspaces")];
  workspaces = createGitWorkspaces({ mirrorsDir, workspacesDir, log });
});
afterEach(() => repo.remove());

async function openTree(): Promise<string> {
  const { commit } = await workspaces.sync({ project, remote: repo.remote, defaultBranch: null });
  return (await workspaces.open({ ...at, commit, branch: "agent/x", copy: null })).path;
}

const collect = () => workspaces.collect({ ...at, message: "work", at: 0 });

/** A daemon that runs as root changes the owner of the checkout before the run, so git's recorded owner differs. */
describe.runIf(process.getuid?.() === 0)("git collect: a checkout that belongs to another user", () => {
  let tree = "";
  let index = "";
  beforeEach(async () => {
    tree = await openTree();
    index = join(tree, "../engine.git/trees", `${name}.index`);
    await execute("chown", ["-R", "23456:23456", tree]);
  });

  const listed = async () => {
    const engine = join(tree, "../engine.git");
    const changes = await findChanges({ engine, tree, index, copied: [], log, timeoutMs: 10_000 });
    return [...changes.deleted, ...changes.written];
  };

  test("contains only the changed files", async () => {
    expect(await listed()).toEqual([]);
    await writeFile(join(tree, "new.txt"), "new\n");
    await writeFile(join(tree, "a.txt"), "longer than before\n");
    await chmod(join(tree, "src/1.txt"), 0o755);
    await rm(join(tree, "src/2.txt"));
    expect((await listed()).toSorted()).toEqual(["a.txt", "new.txt", "src/1.txt", "src/2.txt"]);
  });

  test("includes an edit of the same size in the second of the checkout", async () => {
    const second = Math.floor((await stat(index)).mtimeMs / 1000);
    // The index must be older than any edit, also for a git that compares fractions of a second.
    expect((await stat(index)).mtimeMs).toBe(second * 1000);
    await writeFile(join(tree, "a.txt"), "two\n");
    await utimes(join(tree, "a.txt"), second + 0.999, second + 0.999);
    expect(await listed()).toEqual(["a.txt"]);
    expect((await collect()).stats.files).toMatchObject([{ path: "a.txt", change: "modified" }]);
  });

  test("misses an edit whose size and time were restored", async () => {
    const { mtimeMs } = await stat(join(tree, "a.txt"));
    const later = mtimeMs / 1000 + 10;
    await utimes(index, later, later);
    await writeFile(join(tree, "a.txt"), "two\n");
    await utimes(join(tree, "a.txt"), mtimeMs / 1000, mtimeMs / 1000);
    expect((await collect()).commit).toBeNull();
  });
});

test("git collect: touching a committed file that is too large for a change is no change", async () => {
  const size = 105 * 1024 * 1024;
  await truncateTo(join(repo.checkout, "large.bin"), size);
  await repo.commit({});
  const tree = await openTree();
  const large = join(tree, "large.bin");
  if (process.getuid?.() === 0) await execute("chown", ["-R", "23456:23456", tree]);
  await utimes(large, 1, 1);
  await writeFile(join(tree, "new.txt"), "new\n");
  expect((await collect()).stats.files.map((file) => file.path)).toEqual(["new.txt"]);
  await chmod(large, 0o755);
  expect((await collect()).stats.files.map((file) => file.path)).toEqual(["large.bin", "new.txt"]);
  const handle = await open(large, "r+");
  await handle.write("x", size - 1);
  await handle.close();
  await expect(collect()).rejects.toMatchObject({ kind: "invalid", message: expect.stringContaining("large.bin") });
}, 60_000);

async function truncateTo(path: string, size: number): Promise<void> {
  const handle = await open(path, "w");
  await handle.truncate(size);
  await handle.close();
}
