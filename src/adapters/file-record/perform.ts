import { existsSync } from "node:fs";
import { UserError } from "../../core/text/errors.ts";
import type { ChangedContents, RecordedChanges, Snapshot, SnapshotParams } from "../../ports/file-record.ts";
import { compareSnapshots, findChangedEntries } from "./compare.ts";
import { pathBytes, showPath } from "./entry.ts";
import type { KeptSnapshot } from "./entry.ts";
import { readContent } from "./hash-file.ts";
import { keepSnapshot, readSnapshot } from "./kept-snapshot.ts";
import { takeSnapshot } from "./take-snapshot.ts";

export function performSnapshot({ dir, keep, since }: SnapshotParams): Snapshot {
  if (existsSync(keep)) return summarise(needSnapshot(keep));
  const taken = takeSnapshot(dir, since === null ? null : needSnapshot(since));
  keepSnapshot(keep, taken);
  return summarise(taken);
}

export function performCompare(before: string, after: string): RecordedChanges {
  return compareSnapshots(needSnapshot(before), needSnapshot(after));
}

export interface ReadParams {
  readonly dir: string;
  readonly before: string;
  readonly after: string;
  readonly maxFileBytes: number;
  readonly maxBytes: number;
}

export function performRead({ dir, before, after, maxFileBytes, maxBytes }: ReadParams): ChangedContents {
  const { created, modified } = findChangedEntries(needSnapshot(before), needSnapshot(after));
  const changed = [
    ...created.map((entry) => [entry, true] as const),
    ...modified.map(([, is]) => [is, false] as const),
  ];
  let left = maxBytes;
  return changed
    .filter(([{ kind }]) => kind !== "other")
    .map(([entry, isNew]) => {
      const { path, kind, size: bytes } = entry;
      const isSmall = bytes <= maxFileBytes && bytes <= left;
      const content = isSmall ? readContent(pathBytes(dir, path), entry) : null;
      left -= content?.length ?? 0;
      return { path: showPath(path), kind, bytes, isNew, content };
    });
}

function summarise({ entries, hashed, unread }: KeptSnapshot): Snapshot {
  return {
    files: entries.length,
    hashed,
    unread: unread.map(({ path, why }) => ({ path: showPath(path), why })),
  };
}

function needSnapshot(file: string): KeptSnapshot {
  const found = readSnapshot(file);
  if (found) return found;
  throw new UserError(
    "not_found",
    `There is no file record at ${file}.`,
    "The changes cannot be determined. Submit the task again.",
  );
}
