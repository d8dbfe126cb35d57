import { readdir } from "node:fs/promises";
import type { Log } from "../../ports/log.ts";
import { ignorePattern } from "./copy-files.ts";
import { gitFailure, runGit } from "./git.ts";
import type { GitCall } from "./git.ts";
import { holdsGitDirectory } from "./names.ts";
import { calmTree } from "./tree-modes.ts";

/** Paths are bytes, one character each (latin1): a file name on Linux need not be text. */
export interface Changes {
  readonly deleted: readonly string[];
  readonly written: readonly string[];
}

export interface ChangesParams {
  readonly engine: string;
  readonly tree: string;
  readonly index: string;
  /** Files that we put in ourselves and that are not part of the work. */
  readonly copied: readonly string[];
  readonly log: Log;
  /** How long git may take before we look for what holds it up. */
  readonly patienceMs: number;
}

/** Which files differ from the commit the tree was opened at. The agent's git directory plays no part in it. */
export async function findChanges(params: ChangesParams): Promise<Changes> {
  const first = await listChanges(params, params.patienceMs);
  if (first) return first;
  // A pipe named .gitignore makes git wait for ever, and a directory without permissions hides what is in it.
  await calmTree(params.tree);
  const second = await listChanges(params, undefined);
  if (second) return second;
  throw new Error(`git cannot read all of ${params.tree}, though its directories were made readable`);
}

/** Null when git was held up or could not look everywhere. */
async function listChanges(params: ChangesParams, timeoutMs: number | undefined): Promise<Changes | null> {
  const exclude = params.copied.map((file) => `--exclude=${ignorePattern(file)}`);
  const calls = [
    ["diff-files", "-z", "--name-status", "--no-renames", "--ignore-submodules=all"],
    ["ls-files", "-z", "--others", "--exclude-standard", ...exclude],
  ].map((args): GitCall => ({ ...inTree(params), args, ...(timeoutMs === undefined ? {} : { timeoutMs }) }));
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
  const { deleted, changed } = readStatus(tracked);
  const written = [...changed, ...(await expandNested(params, untracked))];
  return { deleted, written: written.filter((path) => !holdsGitDirectory(path)) };
}

function readStatus(fields: readonly string[]): { deleted: string[]; changed: string[] } {
  const deleted: string[] = [];
  const changed: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    (fields[at] === "D" ? deleted : changed).push(fields[at + 1] ?? "");
  }
  return { deleted, changed };
}

/** A repository inside the tree is listed as `name/` and never entered by git; its files are files like any other. */
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
  // With "./" in front, no name is taken for the magic words that git lets paths begin with.
  const input = Buffer.from(paths.map((path) => `./${path}\0`).join(""), "latin1");
  const call = { ...inTree(params), args: ["check-ignore", "-z", "--stdin", "--no-index"], input };
  const result = await runGit(call);
  if (result.code !== 0 && result.code !== 1) throw gitFailure(call, result);
  return splitPaths(result.stdout).map((path) => path.slice(2));
}

function inTree(params: ChangesParams): { gitDir: string; workTree: string; indexFile: string } {
  return { gitDir: params.engine, workTree: params.tree, indexFile: params.index };
}

function splitPaths(output: Buffer): string[] {
  const text = output.toString("latin1");
  return text === "" ? [] : text.slice(0, -1).split("\0");
}

export function bytesOf(tree: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(path, "latin1")]);
}
