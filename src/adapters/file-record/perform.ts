import { existsSync } from "node:fs";
import { UserError } from "../../core/text/errors.ts";
import type { RecordedChanges, Snapshot, SnapshotParams } from "../../ports/file-record.ts";
import { compareSnapshots } from "./compare.ts";
import { showPath } from "./entry.ts";
import type { KeptSnapshot } from "./entry.ts";
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
