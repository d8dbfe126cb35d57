import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../../core/text/errors.ts";
import type { UnreadDirectory } from "../../ports/file-record.ts";
import { hasCode, syncDirectory } from "../process/job-files.ts";
import type { Entry, KeptSnapshot } from "./entry.ts";

const FORMAT = "nightshift file record";
const VERSION = 1;
const CHUNK_LINES = 5000;

type Line = readonly [string, Entry["kind"], number, number, string, number, string | null];

interface Head {
  readonly format: string;
  readonly version: number;
  readonly at: number;
  readonly files: number;
  readonly hashed: number;
  readonly unread: readonly UnreadDirectory[];
}

/** Writes a header line and one line per file. Atomic, and synced to disk before it returns. */
export function keepSnapshot(file: string, { at, entries, unread, hashed }: KeptSnapshot): void {
  const head: Head = { format: FORMAT, version: VERSION, at, files: entries.length, hashed, unread };
  const draft = `${file}.new`;
  const handle = openSync(draft, "w", 0o600);
  try {
    writeSync(handle, `${JSON.stringify(head)}\n`);
    for (let start = 0; start < entries.length; start += CHUNK_LINES)
      writeSync(
        handle,
        entries
          .slice(start, start + CHUNK_LINES)
          .map(toLine)
          .join(""),
      );
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
  syncDirectory(dirname(file));
}

/** Returns null if there is none. */
export function readSnapshot(file: string): KeptSnapshot | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
  const [first = "", ...lines] = text.split("\n");
  const head = readHead(file, first);
  lines.pop();
  if (lines.length !== head.files) throw damaged(file);
  return { at: head.at, hashed: head.hashed, unread: head.unread, entries: lines.map(fromLine) };
}

function toLine(entry: Entry): string {
  const { path, kind, size, mode, key, ctimeMs, sha256 } = entry;
  const line: Line = [path, kind, size, mode, key, ctimeMs, sha256];
  return `${JSON.stringify(line)}\n`;
}

/** We wrote the line ourselves in `toLine`. */
function fromLine(text: string): Entry {
  const [path, kind, size, mode, key, ctimeMs, sha256] = JSON.parse(text) as Line;
  return { path, kind, size, mode, key, ctimeMs, sha256 };
}

function readHead(file: string, text: string): Head {
  let head: Partial<Head>;
  try {
    head = JSON.parse(text) as Partial<Head>;
  } catch {
    throw damaged(file);
  }
  if (head.format !== FORMAT) throw damaged(file);
  if (head.version === VERSION) return head as Head;
  throw new UserError(
    "unavailable",
    `${file} was written by another version of Nightshift (format ${head.version}; this version supports ${VERSION}).`,
    "Finish the task with the version that started it.",
  );
}

function damaged(file: string): UserError {
  return new UserError(
    "unavailable",
    `${file} is not a complete file record.`,
    "The changes can no longer be determined. Submit the task again.",
  );
}
