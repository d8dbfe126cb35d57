import type { FileChurn } from "../../../core/nightly/proposal.ts";
import type { ChurnParams } from "../../../ports/workspace.ts";
import { mirrorPath, unknownCommitError } from "../context.ts";
import type { GitContext } from "../context.ts";
import { git, hasCommit } from "../git.ts";
import { checkCommit } from "../names.ts";
import { showPath } from "./read-changes.ts";
import { diffArgs } from "./stats.ts";

/** git knows the empty tree's id even if the object does not exist. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/** Names are never patterns or pathspec magic. */
const LITERAL = { GIT_LITERAL_PATHSPECS: "1" };
/** Characters of file names per call, because the length of a command is limited. */
const MAX_CHARACTERS = 100_000;
/** Line count of a binary file, which always changes as a whole. */
const BINARY_LINES = 1_000_000;

interface Counted {
  readonly path: string;
  readonly insertions: number;
  readonly deletions: number;
}

export async function readChurn(context: GitContext, params: ChurnParams): Promise<readonly FileChurn[] | null> {
  const [from, to] = [checkCommit(params.from), checkCommit(params.to)];
  const gitDir = mirrorPath(context, params.project);
  if (!(await hasCommit(gitDir, to))) throw unknownCommitError(params.project, to);
  if (!(await hasCommit(gitDir, from))) return null;
  const files = params.files.map((file) => ({ file, path: file.replace(/\/+$/, "") }));
  const names = [...new Set(files.map(({ path }) => path))].filter(isName);
  const [before, after, between] = await Promise.all(
    [
      [EMPTY_TREE, from],
      [EMPTY_TREE, to],
      [from, to],
    ].map(([one = "", other = ""]) => count(gitDir, { from: one, to: other, names })),
  );
  return files.map(({ file, path }) => {
    const [was, is, changed] = [before, after, between].map((all) =>
      (all ?? []).filter((each) => isIn(each.path, path)),
    );
    return {
      path: file,
      gone: was !== undefined && was.length > 0 && is?.length === 0,
      // A rewritten line counts as one deletion and one insertion, but it is one line.
      changed: sum(changed, ({ insertions, deletions }) => Math.max(insertions, deletions)),
      lines: sum(was, ({ insertions }) => insertions),
    };
  });
}

/** Whether git and a command line accept the name. */
function isName(path: string): boolean {
  return path !== "" && !path.includes("\0");
}

async function count(
  gitDir: string,
  { from, to, names }: { readonly from: string; readonly to: string; readonly names: readonly string[] },
): Promise<readonly Counted[]> {
  const found: Counted[] = [];
  for (const some of splitIntoBatches(names)) {
    const args = [...diffArgs(["-z", "--numstat"], from, to), "--", ...some];
    found.push(...parse(await git({ gitDir, args, extraEnv: LITERAL })));
  }
  return found;
}

function splitIntoBatches(names: readonly string[]): string[][] {
  const pieces: string[][] = [];
  let left = 0;
  for (const name of names) {
    left -= name.length + 1;
    if (left < 0) {
      pieces.push([]);
      left = MAX_CHARACTERS;
    }
    pieces.at(-1)?.push(name);
  }
  return pieces;
}

function parse(output: Buffer): Counted[] {
  return output
    .toString("latin1")
    .split("\0")
    .flatMap((field): Counted[] => {
      const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(field) ?? [];
      if (path === undefined) return [];
      const shown = showPath(Buffer.from(path, "latin1"));
      return [{ path: shown, insertions: toLines(added), deletions: toLines(removed) }];
    });
}

function toLines(counted: string | undefined): number {
  return counted === "-" ? BINARY_LINES : Number(counted);
}

function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function sum(counted: readonly Counted[] | undefined, of: (each: Counted) => number): number {
  return (counted ?? []).reduce((total, each) => total + of(each), 0);
}
