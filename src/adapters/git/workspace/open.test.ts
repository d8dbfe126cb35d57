import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempRepo } from "../../../testing/temp-repo.ts";
import type { GitContext } from "../context.ts";
import { syncMirror } from "../mirror/mirror.ts";
import { closeTree, openTree } from "./open.ts";
import { createKeyedLock } from "../mirror/locks.ts";

const [project, task] = ["shop", "task_large"];

test("git open: a slow removal does not delay the task's next run", { timeout: 60_000 }, async () => {
  const repo = await createTempRepo({ "a.txt": "one\n" });
  const locks = createKeyedLock();
  const removal = Promise.withResolvers<void>();
  const context: GitContext = {
    mirrorsDir: join(repo.path, "mirrors"),
    cachesDir: join(repo.path, "caches"),
    workspacesDir: join(repo.path, "workspaces"),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    timeoutMs: 10_000,
    person: async () => ({ identity: { name: "N", email: "n@example.com" }, env: {} }),
    // Simulates the removal of many files that has started and does not end soon.
    locks: (key, work) =>
      locks(key, async () => {
        if (key !== task) await removal.promise;
        return await work();
      }),
  };
  try {
    const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
    const synced = { ...context, locks, person: async () => ({ ...(await context.person()), env }) };
    const source = { project, remote: repo.remote, defaultBranch: null, credentials: null };
    const { commit } = await syncMirror(synced, source);
    const at = { project, task, commit, branch: "b", copy: null };
    const { path } = await openTree(context, { ...at, name: "first" });
    const closed = closeTree(context, task, "first");
    await openTree(context, { ...at, name: "second" });
    const trash = join(path, "../engine.git/trash");
    expect(await readdir(join(path, ".."))).toEqual(["engine.git", "second"]);
    expect(await readdir(trash)).toHaveLength(1);
    removal.resolve();
    await closed;
    expect(await readdir(trash)).toEqual([]);
  } finally {
    await repo.remove();
  }
});
