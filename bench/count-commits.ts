import { openSync, readSync, closeSync, fstatSync } from "node:fs";

const HEADER = 32;
const FRAME_HEADER = 24;

/**
 * Counts the commits in a database's write-ahead log: frames whose header contains the database size, since the log was last
 * restarted (they have the salt of its header).
 */
export function countCommits(wal: string): number {
  const handle = openSync(wal, "r");
  try {
    const header = Buffer.alloc(HEADER);
    readSync(handle, header, 0, HEADER, 0);
    const frame = FRAME_HEADER + header.readUInt32BE(8);
    const { size } = fstatSync(handle);
    let commits = 0;
    for (let at = HEADER; at + frame <= size; at += frame) {
      const head = Buffer.alloc(FRAME_HEADER);
      readSync(handle, head, 0, FRAME_HEADER, at);
      if (!head.subarray(8, 16).equals(header.subarray(16, 24))) break;
      if (head.readUInt32BE(4) !== 0) commits += 1;
    }
    return commits;
  } finally {
    closeSync(handle);
  }
}
