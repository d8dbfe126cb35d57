import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { TreeName } from "../../../ports/workspace.ts";
import { taskPaths, treePaths, type GitContext } from "../context.ts";
import { isCode } from "../mirror/locks.ts";

/** Creates one level at a time, and never through a link. Nothing else may run in the workspace meanwhile. */
export async function makeDirectories(
  context: GitContext,
  { task, name }: TreeName,
  directories: readonly string[],
): Promise<void> {
  const { tree } = treePaths(taskPaths(context, task), name);
  for (const directory of directories) {
    let path = tree;
    for (const part of directory.split("/")) {
      if (part === "" || part === "." || part === "..") throw refusal(directory, "is not a path inside the workspace");
      path = join(path, part);
      await makeOne(path, directory);
    }
  }
}

async function makeOne(path: string, directory: string): Promise<void> {
  await mkdir(path).catch((error: unknown) => {
    if (!isCode(error, "EEXIST")) throw error;
  });
  const found = await lstat(path);
  if (!found.isDirectory()) throw refusal(directory, found.isSymbolicLink() ? "leads through a link" : "is a file");
}

function refusal(directory: string, why: string): UserError {
  return new UserError("invalid", `The directory "${directory}" cannot be made writable: it ${why}.`);
}
