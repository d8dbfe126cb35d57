import { closeSync, constants, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";

/** An append-only file. Each piece is written completely or not at all, and is synced to disk soon after. */
export interface AppendFile {
  /** Size in bytes. */
  size(): number;
  /** Synchronous, so that a command that prints faster than the disk can write has to wait. */
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
      // After closing, the descriptor number may belong to another file.
      if (bytes.length === 0 || closed) return;
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
      } catch (error) {
        // The disk is full and only a part was written. Remove it, so that the file has only complete lines.
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
      // A pending sync still uses the descriptor and closes it when it is done.
      if (!syncing) closeSync(handle);
    },
  };
}
