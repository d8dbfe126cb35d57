import { createHash } from "node:crypto";
import { lstat, readlink, realpath } from "node:fs/promises";
import { UserError } from "../../../core/text/errors.ts";
import { bytesOf } from "../read/changes.ts";
import type { Changes } from "../read/changes.ts";
import { git, gitFailure } from "../git.ts";
import type { Identity } from "../remote/network-env.ts";
import { runGitRetryingLockedRefs } from "../mirror/retry-locked-refs.ts";
import { fileChangedError, openEntry, readPieces, showPath } from "../read/read-entry.ts";
import { readAt } from "../read/read-at.ts";
import { isCode } from "../mirror/locks.ts";

export interface WriteCommitParams {
  readonly engine: string;
  readonly tree: string;
  readonly changes: Changes;
  readonly parent: string;
  readonly message: string;
  readonly at: number;
  readonly identity: Identity;
}

interface Entry {
  readonly path: string;
  readonly mode: "100644" | "100755" | "120000";
  readonly size: number;
  /** Blob id if the parent already has the content; null if the file must be read. */
  readonly blob: string | null;
}

const MAX_FILE_BYTES = 100 * 1024 * 1024;
/** Files up to this size are read in parallel; larger ones are streamed. */
const SMALL_FILE_BYTES = 1024 * 1024;
const AT_ONCE = 32;

/**
 * Creates the commit with one `fast-import`, which receives the bytes we read ourselves. git opens none of the agent's files,
 * so attributes, pipes and links have no effect. The index stays as it was at the start, so that the next collect finds the
 * same differences.
 */
export async function writeCommit(params: WriteCommitParams): Promise<string> {
  const { entries, gone } = await readEntries(params);
  const call = () => ({
    gitDir: params.engine,
    args: ["fast-import", "--quiet", "--force", "--done", "--date-format=raw"],
    input: importStream(params, entries, [...params.changes.deleted, ...gone]),
  });
  const result = await runGitRetryingLockedRefs(params.engine, call);
  if (result.code !== 0) throw gitFailure(call(), result);
  return result.stdout.toString().trim();
}

/** Ends the message with one newline and removes NUL, which a commit cannot contain. */
export function cleanMessage(message: string): string {
  return `${message.replaceAll("\0", "").trimEnd()}\n`;
}

async function readEntries(params: WriteCommitParams): Promise<{ entries: Entry[]; gone: string[] }> {
  const { tree, changes } = params;
  const entries: Entry[] = [];
  const gone: string[] = [];
  const readEntry = async (path: string): Promise<void> => {
    const stat = await lstat(bytesOf(tree, path)).catch((error: unknown) => {
      if (!isCode(error, "ENOENT", "ENOTDIR")) throw error;
    });
    if (stat?.isSymbolicLink()) entries.push({ path, mode: "120000", size: 0, blob: null });
    else if (!stat?.isFile()) gone.push(path);
    else {
      const { size } = stat;
      const blob = size > MAX_FILE_BYTES ? await sameBlob(params, path, size) : null;
      if (size > MAX_FILE_BYTES && blob === null) throw tooLarge(path, size);
      entries.push({ path, mode: stat.mode & 0o100 ? "100755" : "100644", size, blob });
    }
  };
  for (let start = 0; start < changes.written.length; start += AT_ONCE)
    await Promise.all(changes.written.slice(start, start + AT_ONCE).map(readEntry));
  return { entries, gone };
}

/** Returns the parent's blob if the file is unchanged: a file that was only touched is no change. */
async function sameBlob(
  { engine, tree, changes }: WriteCommitParams,
  path: string,
  size: number,
): Promise<string | null> {
  const blob = changes.blobs.get(path);
  if (blob === undefined) return null;
  const known = await git({ gitDir: engine, args: ["cat-file", "-s", blob] });
  if (Number(known.toString()) !== size) return null;
  const hash = createHash(blob.length === 64 ? "sha256" : "sha1").update(`blob ${size}\0`);
  for await (const piece of readPieces(await realpath(tree), { path, size })) hash.update(piece);
  return hash.digest("hex") === blob ? blob : null;
}

async function* importStream(
  params: WriteCommitParams,
  entries: readonly Entry[],
  deleted: readonly string[],
): AsyncGenerator<Buffer> {
  const { name, email } = params.identity;
  const who = `${name} <${email}> ${Math.floor(params.at / 1000)} +0000`;
  const head = `commit refs/heads/work\nmark :1\nauthor ${who}\ncommitter ${who}\n`;
  yield Buffer.concat([Buffer.from(head), formatData(Buffer.from(cleanMessage(params.message)))]);
  // Deletions come first: a file may have become a directory, or the reverse.
  const gone = deleted.map((path) => `D ${quotePath(path)}\n`).join("");
  yield Buffer.from(`from ${params.parent}\n${gone}`, "latin1");
  const root = await realpath(params.tree);
  for (let start = 0; start < entries.length; start += AT_ONCE) {
    const batch = entries.slice(start, start + AT_ONCE);
    const contents = await Promise.all(batch.map((entry) => readSmall(root, entry)));
    for (const [at, entry] of batch.entries()) {
      if (entry.blob !== null) {
        yield Buffer.from(`M ${entry.mode} ${entry.blob} ${quotePath(entry.path)}\n`, "latin1");
        continue;
      }
      yield Buffer.from(`M ${entry.mode} inline ${quotePath(entry.path)}\n`, "latin1");
      const content = contents[at];
      if (content) yield formatData(content);
      else yield* readLarge(root, entry);
    }
  }
  yield Buffer.from("get-mark :1\ndone\n");
}

/** Returns null for files that must be read in pieces. */
async function readSmall(root: string, entry: Entry): Promise<Buffer | null> {
  if (entry.mode === "120000") return await readlink(bytesOf(root, entry.path), { encoding: "buffer" });
  if (entry.size > SMALL_FILE_BYTES) return null;
  const handle = await openEntry(root, entry.path);
  try {
    const { size } = await handle.stat();
    if (size > SMALL_FILE_BYTES) throw fileChangedError(entry.path);
    return await readAt(handle, 0, size);
  } finally {
    await handle.close();
  }
}

async function* readLarge(root: string, entry: Entry): AsyncGenerator<Buffer> {
  yield Buffer.from(`data ${entry.size}\n`);
  yield* readPieces(root, entry);
  yield Buffer.from("\n");
}

function formatData(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`data ${content.length}\n`), content, Buffer.from("\n")]);
}

function quotePath(path: string): string {
  return `"${path
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`)
    .replaceAll("\n", String.raw`\n`)}"`;
}

function tooLarge(path: string, size: number): UserError {
  return new UserError(
    "invalid",
    `${showPath(path)} is ${Math.ceil(size / 1024 / 1024)} MB. Files in a change may have at most 100 MB.`,
    "Delete it or add it to .gitignore.",
  );
}
