import type { FileState, RecordedChanges, UnreadDirectory } from "../../ports/file-record.ts";
import { showPath } from "./entry.ts";
import type { Entry, Found } from "./entry.ts";

export interface ChangedEntries {
  readonly created: readonly Entry[];
  readonly modified: readonly (readonly [before: Entry, after: Entry])[];
  readonly deleted: readonly Entry[];
  readonly unread: readonly UnreadDirectory[];
}

export function compareSnapshots(before: Found, after: Found): RecordedChanges {
  const { created, modified, deleted, unread } = findChangedEntries(before, after);
  return {
    created: created.map((entry) => ({ path: showPath(entry.path), after: stateOf(entry) })).toSorted(byPath),
    modified: modified
      .map(([was, is]) => ({ path: showPath(is.path), before: stateOf(was), after: stateOf(is) }))
      .toSorted(byPath),
    deleted: deleted.map((entry) => ({ path: showPath(entry.path), before: stateOf(entry) })).toSorted(byPath),
    unread: unread.map(({ path, why }) => ({ path: showPath(path), why })).toSorted(byPath),
  };
}

export function findChangedEntries(before: Found, after: Found): ChangedEntries {
  const unread = [...new Map([...before.unread, ...after.unread].map((each) => [each.path, each])).values()];
  const isKnown = knownOutside(unread);
  const old = new Map(before.entries.map((entry) => [entry.path, entry]));
  const created: Entry[] = [];
  const modified: [Entry, Entry][] = [];
  for (const entry of after.entries) {
    const was = old.get(entry.path);
    old.delete(entry.path);
    if (!was && isKnown(entry.path)) created.push(entry);
    else if (was && !isSame(was, entry)) modified.push([was, entry]);
  }
  const deleted = [...old.values()].filter((entry) => isKnown(entry.path));
  return { created, modified, deleted, unread };
}

/** A file rewritten with the same content is unchanged. Without known content, any touch counts as a change. */
function isSame(was: Entry, is: Entry): boolean {
  if (was.key === is.key && was.sha256 === is.sha256) return true;
  if (was.sha256 === null || is.sha256 === null) return was.key === is.key;
  return was.sha256 === is.sha256 && was.kind === is.kind && was.mode === is.mode;
}

/** Excludes paths in unreadable directories, because whether they changed is unknown. */
function knownOutside(unread: readonly UnreadDirectory[]): (path: string) => boolean {
  if (unread.length === 0) return () => true;
  const closed = new Set(unread.map(({ path }) => path));
  return (path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (closed.has(path.slice(0, end))) return false;
    }
    return true;
  };
}

function stateOf({ kind, size, mode, sha256 }: Entry): FileState {
  return { kind, size, mode, sha256 };
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1;
}
