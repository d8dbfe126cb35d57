import type { CommitName, ReadFilesParams } from "../../../ports/workspace.ts";
import { mirrorPath, unknownCommitError } from "../context.ts";
import type { GitContext } from "../context.ts";
import { git, hasCommit } from "../git.ts";
import { checkCommit } from "../names.ts";
import type { BaseFile } from "../../../policy/diff/gate-sources.ts";
import { readContents, readSizes, showPath } from "./read-changes.ts";

/** An entry of `git ls-tree -z`: mode, type and hash, a tab, and the path. A submodule has the type `commit`. */
const FILE_ENTRY = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s;
const LINK_MODE = "120000";
const MAX_BYTES = 256 * 1024;

export async function listFiles(context: GitContext, params: CommitName): Promise<readonly string[]> {
  const gitDir = await findCommit(context, params);
  const output = await git({ gitDir, args: ["ls-tree", "-r", "-z", "--full-tree", params.base] });
  return output
    .toString("latin1")
    .split("\0")
    .flatMap((entry) => FILE_ENTRY.exec(entry)?.[3] ?? [])
    .map((name) => showPath(Buffer.from(name, "latin1")));
}

/** An entry of `git ls-tree -l -z`, which has the size after the hash. */
const SIZED_ENTRY = /^\d+ blob [0-9a-f]+ +(\d+)\t(.+)$/s;

export async function listFileSizes(
  context: GitContext,
  params: CommitName,
): Promise<readonly { readonly path: string; readonly bytes: number }[]> {
  const gitDir = await findCommit(context, params);
  const output = await git({ gitDir, args: ["ls-tree", "-r", "-l", "-z", "--full-tree", params.base] });
  return output
    .toString("latin1")
    .split("\0")
    .flatMap((entry) => {
      const [, bytes, name] = SIZED_ENTRY.exec(entry) ?? [];
      return name === undefined ? [] : [{ path: showPath(Buffer.from(name, "latin1")), bytes: Number(bytes) }];
    });
}

export async function readFiles(
  gitDir: string,
  params: Pick<ReadFilesParams, "base" | "paths">,
): Promise<readonly BaseFile[]> {
  if (params.paths.length === 0) return [];
  checkCommit(params.base);
  const output = await git({ gitDir, args: ["ls-tree", "-z", "--full-tree", params.base, "--", ...params.paths] });
  const entries = output
    .toString("latin1")
    .split("\0")
    .flatMap((entry) => {
      const [, mode, id, name = ""] = FILE_ENTRY.exec(entry) ?? [];
      const path = showPath(Buffer.from(name, "latin1"));
      return id === undefined || !params.paths.includes(path) ? [] : [{ path, id, isLink: mode === LINK_MODE }];
    });
  const sizes = await readSizes(gitDir, [...new Set(entries.map(({ id }) => id))]);
  const readable = [...sizes].flatMap(([id, size]) => (size <= MAX_BYTES ? [id] : []));
  const contents = await readContents(gitDir, readable);
  return entries.flatMap(({ path, id, isLink }): BaseFile[] => {
    const content = contents.get(id);
    if (content === undefined) return [];
    return [{ path, kind: isLink ? "link" : "file", text: new TextDecoder().decode(content) }];
  });
}

export async function countCommits(
  context: GitContext,
  params: CommitName & { readonly max: number },
): Promise<number> {
  const gitDir = await findCommit(context, params);
  const args = ["rev-list", "--first-parent", "--count", `--max-count=${params.max}`, params.base, "--"];
  return Number((await git({ gitDir, args })).toString());
}

async function findCommit(context: GitContext, { project, base }: CommitName): Promise<string> {
  const gitDir = mirrorPath(context, project);
  if (!(await hasCommit(gitDir, checkCommit(base)))) throw unknownCommitError(project, base);
  return gitDir;
}
