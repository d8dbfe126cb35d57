import { readdir } from "node:fs/promises";
import type { Log } from "../../../ports/log.ts";
import { ignorePattern } from "../workspace/copy-files.ts";
import { gitFailure, runGit } from "../git.ts";
import type { GitCall } from "../git.ts";
import { containsGitDirectory } from "../names.ts";
import { makeTreeReadable } from "./make-tree-readable.ts";

/** Paths have one character per byte (latin1), because a file name on Linux need not be valid text. */
export interface Changes {
  readonly deleted: readonly string[];
  readonly written: readonly string[];
  /** The original blobs of files in `written`. New files have none. */
  readonly blobs: ReadonlyMap<string, string>;
}

export interface ChangesParams {
  readonly engine: string;
  readonly tree: string;
  readonly index: string;
  /** Files that Nightshift copied in and that are not part of the work. */
  readonly copied: readonly string[];
  readonly log: Log;
  /** How long git may take before we search for files that block it. */
  readonly timeoutMs: number;
}

/**
 * A daemon that runs as root gives the checkout to the run's own user. This changes the owner and ctime of every file, so
 * git would read all of them as changed. With these settings git compares only size and modification time in whole seconds,
 * and still reads files that are as new as its index (see `roundDown` in open.ts). An edit that keeps the size and resets the
 * time is then missed. This harms only its author: the commit is what is checked and pushed, so a hidden change is lost.
 */
const IGNORE_OWNER = ["core.checkStat=minimal", "core.trustctime=false"];

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Finds the files that differ from the commit the checkout was opened at, without using the agent's git directory. */
export async function findChanges(params: ChangesParams): Promise<Changes> {
  const first = await listChanges(params, params.timeoutMs);
  if (first) return first;
  // A named pipe called .gitignore blocks git forever, and an unreadable directory hides its files.
  await makeTreeReadable(params.tree);
  const second = await listChanges(params, undefined);
  if (second) return second;
  throw new Error(`git cannot read all of ${params.tree}, although its directories were made readable`);
}

/** Returns null if git was blocked or could not read everything. */
async function listChanges(params: ChangesParams, timeoutMs: number | undefined): Promise<Changes | null> {
  const exclude = params.copied.map((file) => `--exclude=${ignorePattern(file)}`);
  const diff = ["diff-files", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=all"];
  const calls = [diff, ["ls-files", "-z", "--others", "--exclude-standard", ...exclude]].map((args): GitCall => ({
    ...treeArgs(params),
    args,
    settings: isRoot() ? IGNORE_OWNER : [],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }));
  const results = await Promise.all(
    calls.map(async (call) => {
      const result = await runGit(call);
      if (result.code === null || /Permission denied/.test(result.stderr)) return null;
      if (result.code !== 0) throw gitFailure(call, result);
      if (result.stderr !== "")
        params.log.warn("git did not read all of a workspace", { said: result.stderr.slice(0, 500) });
      return splitPaths(result.stdout);
    }),
  );
  const [tracked, untracked] = results;
  if (!tracked || !untracked) return null;
  const { deleted, blobs } = readStatus(tracked);
  const written = [...blobs.keys(), ...(await expandNested(params, untracked))];
  return { deleted, blobs, written: written.filter((path) => !containsGitDirectory(path)) };
}

/** `:<mode> <mode> <id> <id> <status>` and the path. */
function readStatus(fields: readonly string[]): { deleted: string[]; blobs: Map<string, string> } {
  const deleted: string[] = [];
  const blobs = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, , id = "", , status] = (fields[at] ?? "").split(" ");
    const path = fields[at + 1] ?? "";
    if (status === "D") deleted.push(path);
    else blobs.set(path, id);
  }
  return { deleted, blobs };
}

/** git lists a nested repository as `name/` and does not enter it; its files count like any others. */
async function expandNested(params: ChangesParams, untracked: readonly string[]): Promise<string[]> {
  const plain = untracked.filter((path) => !path.endsWith("/"));
  if (plain.length === untracked.length) return plain;
  const nested: string[] = [];
  for (const path of untracked) if (path.endsWith("/")) nested.push(...(await walk(params.tree, path)));
  const copied = params.copied.map((file) => Buffer.from(file).toString("latin1"));
  const ignored = new Set([...copied, ...(await listIgnored(params, nested))]);
  return [...plain, ...nested.filter((path) => !ignored.has(path))];
}

async function walk(tree: string, start: string): Promise<string[]> {
  const found: string[] = [];
  const directories = [start];
  for (const directory of directories) {
    for (const entry of await readdir(bytesOf(tree, directory), { withFileTypes: true, encoding: "buffer" })) {
      const name = entry.name.toString("latin1");
      if (name === ".git") continue;
      if (entry.isDirectory()) directories.push(`${directory}${name}/`);
      else found.push(directory + name);
    }
  }
  return found;
}

async function listIgnored(params: ChangesParams, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  // The "./" prefix keeps git from reading a name as pathspec magic.
  const input = Buffer.from(paths.map((path) => `./${path}\0`).join(""), "latin1");
  const call = { ...treeArgs(params), args: ["check-ignore", "-z", "--stdin", "--no-index"], input };
  const result = await runGit(call);
  if (result.code !== 0 && result.code !== 1) throw gitFailure(call, result);
  return splitPaths(result.stdout).map((path) => path.slice(2));
}

function treeArgs(params: ChangesParams): { gitDir: string; workTree: string; indexFile: string } {
  return { gitDir: params.engine, workTree: params.tree, indexFile: params.index };
}

function splitPaths(output: Buffer): string[] {
  const text = output.toString("latin1");
  return text === "" ? [] : text.slice(0, -1).split("\0");
}

export function bytesOf(tree: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(path, "latin1")]);
}
