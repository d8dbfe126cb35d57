import { closeSync, constants, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";

/** A file that only grows, in whole pieces, and reaches the disk soon after it grew. */
export interface AppendFile {
  /** Bytes in it. */
  size(): number;
  /** Blocks: a command that prints faster than the disk writes has to wait for it. */
  write(piece: string | Buffer): void;
  /** Syncs and closes. */
  close(): void;
}

const SYNC_EVERY_MS = 200;

export function openAppendFile(path: string, onGrown: (size: number) => void): AppendFile {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const handle = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  let size = fstatSync(handle).size;
  let timer: NodeJS.Timeout | null = null;
  let syncing = false;
  let closed = false;

  function syncSoon(): void {
    if (timer !== null || syncing) return;
    timer = setTimeout(() => {
      timer = null;
      syncing = true;
      const before = size;
      fdatasync(handle, () => {
        syncing = false;
        if (closed) closeSync(handle);
        else if (size !== before) syncSoon();
      });
    }, SYNC_EVERY_MS);
  }

  return {
    size: () => size,
    write(piece) {
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      // Once closed, the number of the descriptor may be another file's.
      if (bytes.length === 0 || closed) return;
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
      } catch (error) {
        // A full disk took a part of the piece: what stands in the file stays whole lines.
        ftruncateSync(handle, size);
        throw error;
      }
      size += bytes.length;
      onGrown(size);
      syncSoon();
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      fdatasyncSync(handle);
      closed = true;
      // The sync under way still holds the descriptor and closes it when it is done.
      if (!syncing) closeSync(handle);
    },
  };
}
