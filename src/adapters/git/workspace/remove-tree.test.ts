import { spawnSync } from "node:child_process";
import { chmod, lstat, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTempDir, writeFiles } from "../../../testing/temp-repo.ts";
import type { TempDir } from "../../../testing/temp-repo.ts";
import { removeTree } from "./remove-tree.ts";

let dir: TempDir;
let tree: string;

beforeEach(async () => {
  dir = await createTempDir();
  tree = join(dir.path, "tree");
  await mkdir(tree);
});
afterEach(() => dir.remove());

const expectGone = () => expect(lstat(tree)).rejects.toMatchObject({ code: "ENOENT" });

test("removeTree follows no link, neither inside nor as the root", async () => {
  await writeFiles(dir.path, { "decoy/precious.txt": "keep me" });
  await symlink(join(dir.path, "decoy"), join(tree, "link"));
  await removeTree(tree);
  await expectGone();
  await symlink(join(dir.path, "decoy"), tree);
  await removeTree(tree);
  await expectGone();
  expect(await readFile(join(dir.path, "decoy/precious.txt"), "utf8")).toBe("keep me");
});

test("removeTree removes names that are not valid text and directories without permissions", async () => {
  await writeFiles(tree, { "shut/inner/file": "x", "read-only/file": "y", "-rf": "z", "new\nline/*": "w" });
  await writeFile(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe])]), "x");
  await chmod(join(tree, "shut/inner"), 0);
  await chmod(join(tree, "shut"), 0);
  await chmod(join(tree, "read-only"), 0o500);
  await removeTree(tree);
  await expectGone();
});

test("removeTree removes directories deeper than the path limit", async () => {
  const script = `import os,sys
os.chdir(sys.argv[1])
for i in range(10000):
  os.mkdir("d" * 20); os.chdir("d" * 20)
open("bottom", "w").close()`;
  const made = spawnSync("python3", ["-c", script, tree]);
  // Without Python, a shell that changes directory step by step does the same, more slowly.
  if (made.error)
    spawnSync("sh", ["-c", 'cd "$0"; i=0; while [ $i -lt 1000 ]; do mkdir dddd; cd dddd; i=$((i+1)); done', tree]);
  await removeTree(tree);
  await expectGone();
});

test("removeTree accepts a file and a missing path", async () => {
  await removeTree(join(dir.path, "missing"));
  await removeTree(tree);
  await writeFile(tree, "x");
  await removeTree(tree);
  await expectGone();
});
