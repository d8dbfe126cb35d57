import { readFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";

/**
 * Returns the version in package.json. In a clone, the commit follows, as in `0.1.0+4f52c6471d`: `git pull` updates the program
 * without a new version, and the daemon of the previous commit keeps running.
 */
export function programVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
  const commit = readCommit(root);
  return commit === null ? version : `${version}+${commit.slice(0, 10)}`;
}

/** Reads the files of git, because starting git would slow down every command. Null if this is not a clone. */
function readCommit(root: string): string | null {
  try {
    const gitDir = findGitDir(root);
    const head = readFileSync(join(gitDir, "HEAD"), "utf8").trim();
    const name = /^ref: (.+)$/.exec(head)?.[1];
    const commit = name === undefined ? head : readRef(findCommonDir(gitDir), name);
    return /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
  } catch {
    return null;
  }
}

/** In a linked worktree, `.git` is a file that names the directory. */
function findGitDir(root: string): string {
  const path = join(root, ".git");
  const link = readIfFile(path);
  if (link === null) return path;
  const target = link.replace(/^gitdir: /, "").trim();
  return isAbsolute(target) ? target : resolve(root, target);
}

function findCommonDir(gitDir: string): string {
  const common = readIfFile(join(gitDir, "commondir"));
  return common === null ? gitDir : resolve(gitDir, common.trim());
}

function readRef(gitDir: string, name: string): string {
  const loose = readIfFile(join(gitDir, name));
  if (loose !== null) return loose.trim();
  const packed = readFileSync(join(gitDir, "packed-refs"), "utf8").split("\n");
  return packed.find((line) => line.endsWith(` ${name}`))?.split(" ", 1)[0] ?? "";
}

function readIfFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
