import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFileRecord } from "../../src/adapters/file-record/file-record.ts";
import { atMost, type Measured } from "../report.ts";
import { median, timed } from "../statistics.ts";

const FILES = 50_000;
const FILES_PER_DIRECTORY = 100;
const CHANGED = 100;
const FILE_BYTES = 8192;
const ROUNDS = 5;

/** Measures finding the changes in a directory of 50,000 files with warm caches: walk, read changed files, store, compare. */
export async function measureFileRecord(): Promise<readonly Measured[]> {
  const root = mkdtempSync(join(tmpdir(), "nightshift-bench-record-"));
  try {
    const dir = join(root, "dir");
    for (let index = 0; index < FILES; index += 1) writeOne(dir, index, 0);
    // Recently written files are read again, so wait until these count as old.
    await sleep(3000);
    const record = createFileRecord();
    const keep = (round: number): string => join(root, `snapshot-${round}`);
    const first = await timed(() => record.snapshot({ dir, keep: keep(0), since: null }));
    const seconds: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (let index = 0; index < CHANGED; index += 1) writeOne(dir, index, round);
      seconds.push(
        await timed(async () => {
          await record.snapshot({ dir, keep: keep(round), since: keep(0) });
          const { modified } = await record.compare(keep(0), keep(round));
          if (modified.length !== CHANGED) throw new Error(`Found ${modified.length} changes instead of ${CHANGED}.`);
        }),
      );
    }
    const row = { row: "h", unit: "ms", baseline: null, target: null } as const;
    const second = median(seconds);
    return [
      { ...row, what: "file record: first snapshot of 50,000 files, 400 MB, all hashed", value: first },
      {
        ...row,
        what: "file record: second snapshot and comparison, 100 files changed",
        value: second,
        target: atMost(second, 1000, "a second"),
      },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function writeOne(dir: string, index: number, version: number): void {
  const folder = join(dir, String(Math.floor(index / FILES_PER_DIRECTORY)));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `file${index}.txt`), `${version} ${index} `.padEnd(FILE_BYTES, "x"));
}
