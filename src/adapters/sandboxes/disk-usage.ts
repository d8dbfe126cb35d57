import { lstatSync, opendirSync } from "node:fs";
import type { Dir, Stats } from "node:fs";
import { resolve, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

export interface DiskUsage {
  readonly bytes: number;
  readonly files: number;
}

interface DiskUsageParams {
  readonly dirs: readonly string[];
  /** Counting stops when more than this is found, after the timeout, or if the signal is aborted. */
  readonly limitBytes: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Maximum time that other work is blocked. */
const SLICE_MS = 8;
const DEFAULT_TIMEOUT_MS = 60_000;
/** Empty files are not free: a file system has about one inode per few blocks. */
const MIN_FILE_BYTES = 4096;

/**
 * Measures disk usage below directories in blocks, so that holes are free, and counts each file once, even with several hard
 * links. Does not follow links or enter other file systems. The calls are synchronous, in slices: each takes microseconds,
 * less than a round trip to a thread, and the thread pool may be busy with DNS lookups.
 */
export async function measureDisk(params: DiskUsageParams): Promise<DiskUsage> {
  const { dirs, limitBytes, timeoutMs: limitMs = DEFAULT_TIMEOUT_MS, signal } = params;
  const usage = { bytes: 0, files: 0 };
  const linked = new Set<string>();
  const deadline = performance.now() + limitMs;
  let sliceEnd = performance.now() + SLICE_MS;

  for (const entry of walk(dirs)) {
    if (!isCountedHardLink(entry, linked)) {
      usage.files++;
      usage.bytes += Math.max(entry.blocks * 512, MIN_FILE_BYTES);
    }
    const now = performance.now();
    if (usage.bytes > limitBytes || now > deadline || signal?.aborted === true) return usage;
    if (now <= sliceEnd) continue;
    await nextTurn();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return usage;
}

/** Path with one character per byte, because names need not be valid text. */
type Latin1Path = string;

interface Folder {
  readonly path: Latin1Path;
  readonly device: number;
}

function* walk(dirs: readonly string[]): Generator<Stats> {
  const folders: Folder[] = [];
  for (const dir of outermost(dirs)) {
    const path = Buffer.from(dir).toString("latin1");
    const stats = tryLstat(path);
    if (stats === null) continue;
    if (stats.isDirectory()) folders.push({ path, device: stats.dev });
    yield stats;
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    yield* list(folder, folders);
  }
}

/** Lists nothing if the directory is unreadable. */
function* list({ path, device }: Folder, folders: Folder[]): Generator<Stats> {
  const dir = tryOpenDir(path);
  if (dir === null) return;
  try {
    for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
      const inner = `${path}/${entry.name}`;
      const stats = tryLstat(inner);
      if (stats?.dev !== device) continue;
      if (stats.isDirectory()) folders.push({ path: inner, device });
      yield stats;
    }
  } catch {
    return;
  } finally {
    dir.closeSync();
  }
}

/** Null if it no longer exists or is inaccessible, for example because its path is too long. */
function tryLstat(path: Latin1Path): Stats | null {
  try {
    return lstatSync(Buffer.from(path, "latin1"));
  } catch {
    return null;
  }
}

function tryOpenDir(path: Latin1Path): Dir | null {
  try {
    return opendirSync(Buffer.from(path, "latin1"), { encoding: "latin1", bufferSize: 128 });
  } catch {
    return null;
  }
}

function outermost(dirs: readonly string[]): readonly string[] {
  const paths = [...new Set(dirs.map((dir) => resolve(dir)))];
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}${sep}`)));
}

function isCountedHardLink(stats: Stats, linked: Set<string>): boolean {
  if (stats.nlink < 2 || stats.isDirectory()) return false;
  const key = `${stats.dev}:${stats.ino}`;
  if (linked.has(key)) return true;
  linked.add(key);
  return false;
}
