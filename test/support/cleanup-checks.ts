import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { Task } from "../../src/core/task/task.ts";
import { git } from "../../src/testing/temp-repo.ts";
import type { Nightly } from "./nightly.ts";

const WAIT = { timeout: 60_000, interval: 100 };

/** Expects that an ended task has left no tree, process, temporary file or lock. */
export async function expectNothingLeft(night: Nightly, task: Pick<Task, "id">): Promise<void> {
  const { ports } = night.wired;
  expect(await ports.store.tasks.listOpenRuns()).toEqual([]);
  await vi.waitFor(async () => {
    expect(await ports.workspaces.list()).not.toContain(task.id);
    // Check private homes, temporary directories and control sockets.
    for (const folder of ["homes", "s"]) expect(await filesBelow(join(night.home, folder))).toEqual([]);
    for (const { id } of await night.runs(task.id)) {
      expect(await ports.supervisors.isAlive(ports.runFiles.dir(id))).toBe(false);
      expect(await filesBelow(join(ports.runFiles.dir(id), "tmp"))).toEqual([]);
    }
    const files = [...(await filesBelow(night.home)), ...(await filesBelow(night.repo.remote))];
    expect(files.filter((file) => /\.(?:lock|building|tmp)(?:\/|$)/.test(file) && !isStoreFile(file))).toEqual([]);
  }, WAIT);
}

/** The store holds its own lock while the daemon runs. */
function isStoreFile(file: string): boolean {
  return file.includes("nightshift.db");
}

export async function filesBelow(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Returns all files that contain one of the texts, and all repositories with an object that does, because git packs objects. */
export async function filesContaining(dir: string, texts: readonly string[]): Promise<readonly string[]> {
  const files = await filesBelow(dir);
  const found: string[] = [];
  for (const file of files) {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    if (texts.some((text) => bytes.includes(text))) found.push(file);
  }
  for (const head of files.filter((file) => file.endsWith("/HEAD"))) {
    const repository = head.slice(0, -"/HEAD".length);
    const objects = await git(repository, "cat-file", "--batch-all-objects", "--batch").catch(() => "");
    if (texts.some((text) => objects.includes(text))) found.push(repository);
  }
  return found;
}

/** Returns the prompts of a role's runs, oldest first. */
export async function promptsOf(night: Nightly, id: string, role: string): Promise<readonly string[]> {
  const runs = (await night.runs(id)).filter((run) => run.role === role);
  return Promise.all(runs.map((run) => readFile(join(night.home, "runs", run.id, "prompt.md"), "utf8")));
}

/** Returns the branches of the remote except main. */
export async function branchesOf(night: Nightly): Promise<readonly string[]> {
  const refs = await git(night.repo.remote, "for-each-ref", "--format=%(refname:short)", "refs/heads");
  return refs.split("\n").filter((name) => name !== "main");
}
