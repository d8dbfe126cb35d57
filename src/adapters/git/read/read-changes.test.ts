import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileChange } from "../../../core/change/file-change.ts";
import type { Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo } from "../../../testing/temp-repo.ts";
import type { TempRepo } from "../../../testing/temp-repo.ts";
import { createGitWorkspaces } from "../workspaces.ts";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const project = "shop";
const task = "task_changes";

describe("git readChanges: commits that collect never makes", () => {
  let repo: TempRepo;
  let workspaces: Workspaces;

  beforeEach(async () => {
    repo = await createTempRepo({ "a.txt": "one\n" });
    const home = join(repo.path, "home");
    workspaces = createGitWorkspaces({
      mirrorsDir: join(home, "mirrors"),
      workspacesDir: join(home, "workspaces"),
      log,
    });
  });
  afterEach(() => repo.remove());

  const read = async (from: string, to: string): Promise<readonly FileChange[]> => {
    await workspaces.sync({ project, remote: repo.remote, defaultBranch: null });
    return await workspaces.readChanges({ project, task, from, to, maxFileBytes: 1000 });
  };
  /** Commits entries that cannot exist as files on this disk: `<mode> <type> <id>\t<path>`. */
  const commitTree = async (entries: readonly { mode: string; id: string; name: Buffer }[], parent = "HEAD") => {
    const input = Buffer.concat(
      entries.flatMap(({ mode, id, name }) => {
        const type = mode === "160000" ? "commit" : "blob";
        return [Buffer.from(`${mode} ${type} ${id}\t`), name, Buffer.from("\0")];
      }),
    );
    const tree = await feed(repo.checkout, ["mktree", "-z", "--missing"], input);
    const commit = await repo.git("commit-tree", tree, "-p", parent, "-m", "made");
    await repo.git("push", "-q", "-f", "origin", `${commit}:main`);
    return commit;
  };

  test("a submodule has no content at any commit", async () => {
    const from = await repo.git("rev-parse", "HEAD");
    const name = Buffer.from("vendored");
    const first = await commitTree([{ mode: "160000", id: "1".repeat(40), name }]);
    const second = await commitTree([{ mode: "160000", id: "2".repeat(40), name }], first);
    const submodule = { kind: "submodule", bytes: 0, content: null };
    expect(await read(from, first)).toMatchObject([
      { path: "a.txt", after: null },
      { path: "vendored", after: submodule },
    ]);
    expect(await read(first, second)).toEqual([{ path: "vendored", before: submodule, after: submodule }]);
  });

  test("names that are not valid text stay distinct, and modes of old repositories count as files", async () => {
    const id = await feed(repo.checkout, ["hash-object", "-w", "--stdin"], Buffer.from("x"));
    const from = await repo.git("rev-parse", "HEAD");
    const names = [Buffer.from([0x61, 0xff]), Buffer.from([0x61, 0xfe]), Buffer.from("ä\n\t"), Buffer.from("b\uFFFD")];
    const to = await commitTree([
      ...names.map((name) => ({ mode: "100644", id, name })),
      { mode: "100664", id, name: Buffer.from("old") },
    ]);
    const changes = (await read(from, to)).filter((change) => change.after !== null);
    expect(changes.map((change) => change.path)).toEqual(["a\\xFE", "a\\xFF", "b\uFFFD", "old", "ä\n\t"]);
    expect(changes.every((change) => change.after?.kind === "file" && change.after.bytes === 1)).toBe(true);
  });

  test("reads two thousand files quickly", async () => {
    const from = await repo.git("rev-parse", "HEAD");
    const to = await repo.commit(
      Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`many/${at}.txt`, `${at}\n`.repeat(20)])),
    );
    await read(from, from);
    const started = performance.now();
    const changes = await read(from, to);
    expect(performance.now() - started).toBeLessThan(3000);
    expect(changes).toHaveLength(2000);
    expect(changes.every((change) => change.after?.content?.length === change.after?.bytes)).toBe(true);
  });
});

async function feed(cwd: string, args: readonly string[], input: Buffer): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = execFile("git", [...args], { cwd }, (error, stdout) => {
      if (error) reject(error);
      else resolve(stdout.trim());
    });
    child.stdin?.end(input);
  });
}
