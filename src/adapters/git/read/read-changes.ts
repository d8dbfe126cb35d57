import type { FileChange, FileSide } from "../../../core/change/file-change.ts";
import type { ReadChangesParams } from "../../../ports/workspace.ts";
import { taskPaths } from "../context.ts";
import type { GitContext } from "../context.ts";
import { git } from "../git.ts";
import { checkCommit } from "../names.ts";
import { diffArgs } from "./stats.ts";

/** Limit for all contents together. Further files stay unread, so that no change exhausts our memory. */
const MAX_TOTAL_BYTES = 128 * 1024 * 1024;

interface RawSide {
  readonly kind: FileSide["kind"];
  readonly id: string;
}

interface RawChange {
  readonly path: string;
  readonly before: RawSide | null;
  readonly after: RawSide | null;
}

export async function readChanges(context: GitContext, params: ReadChangesParams): Promise<readonly FileChange[]> {
  const gitDir = taskPaths(context, params.task).engine;
  const [from, to] = [checkCommit(params.from), checkCommit(params.to)];
  const changes = parseRaw(await git({ gitDir, args: diffArgs(["-z", "--raw", "--no-abbrev"], from, to) }));
  const ids = new Set(changes.flatMap(({ before, after }) => [before, after].flatMap(blobOf)));
  const sizes = await readSizes(gitDir, [...ids]);
  const contents = await readContents(gitDir, chooseReadable(sizes, params.maxFileBytes));
  const sideOf = (side: RawSide | null): FileSide | null =>
    side && { kind: side.kind, bytes: sizes.get(side.id) ?? 0, content: contents.get(side.id) ?? null };
  return changes
    .map((change) => ({ path: change.path, before: sideOf(change.before), after: sideOf(change.after) }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** `:<mode> <mode> <id> <id> <status>` and the path, each ended by NUL. */
function parseRaw(output: Buffer): RawChange[] {
  const fields = output.toString("latin1").split("\0");
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", newMode = "", oldId = "", newId = ""] = (fields[at] ?? "").slice(1).split(" ");
    const path = showPath(Buffer.from(fields[at + 1] ?? "", "latin1"));
    changes.push({ path, before: readSide(oldMode, oldId), after: readSide(newMode, newId) });
  }
  return changes;
}

function readSide(mode: string, id: string): RawSide | null {
  if (mode === "000000") return null;
  if (mode === "120000") return { kind: "link", id };
  if (mode === "160000") return { kind: "submodule", id };
  // Old repositories contain modes that git no longer writes (100664). Only the owner's execute bit matters.
  return { kind: Number.parseInt(mode, 8) & 0o100 ? "executable" : "file", id };
}

function blobOf(side: RawSide | null): string[] {
  return side === null || side.kind === "submodule" ? [] : [side.id];
}

/** Shows a path as text. Invalid bytes become `\xNN`, so that different names always look different. */
export function showPath(bytes: Buffer): string {
  const text = bytes.toString();
  if (Buffer.from(text).equals(bytes)) return text;
  let shown = "";
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at);
    shown +=
      length > 0
        ? bytes.toString("utf8", at, at + length)
        : `\\x${(bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, "0")}`;
    at += Math.max(1, length);
  }
  return shown;
}

/** Length of the UTF-8 character at this position, or zero if it is invalid. */
function characterLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (!bytes.toString("utf8", at, at + length).includes("\uFFFD")) return length;
  }
  return 0;
}

export async function readSizes(gitDir: string, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const args = ["cat-file", "--batch-check=%(objectname) %(objectsize)"];
  const output = await git({ gitDir, args, input: `${ids.join("\n")}\n` });
  return new Map(
    output
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => {
        const [id = "", size] = line.split(" ");
        if (size === "missing") throw new Error(`git has no object ${id} in ${gitDir}`);
        return [id, Number(size)];
      }),
  );
}

/** Smallest first, so that one huge file does not keep others from being read. */
function chooseReadable(sizes: ReadonlyMap<string, number>, maxFileBytes: number): string[] {
  let left = MAX_TOTAL_BYTES;
  return [...sizes]
    .toSorted((one, other) => one[1] - other[1])
    .filter(([, size]) => size <= maxFileBytes && (left -= size) >= 0)
    .map(([id]) => id);
}

/** Format per object: `<id> <type> <size>`, newline, content, newline. */
export async function readContents(gitDir: string, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>();
  if (ids.length === 0) return contents;
  const output = await git({ gitDir, args: ["cat-file", "--batch"], input: `${ids.join("\n")}\n` });
  for (let at = 0; at < output.length;) {
    const head = output.indexOf("\n", at);
    const [id = "", , size] = output.toString("latin1", at, head).split(" ");
    const end = head + 1 + Number(size);
    if (head < 0 || !(end < output.length)) throw new Error(`git cat-file ended early in ${gitDir}`);
    contents.set(id, output.subarray(head + 1, end));
    at = end + 1;
  }
  return contents;
}
