import { readdirSync, readFileSync, statfsSync, statSync } from "node:fs";

/**
 * Unlinked files (deleted files and memfds) that exist only because a process has them open. They are in no directory, and
 * those in memory do not count towards any process until one maps them.
 */
export interface UnlinkedFiles {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** Files in memory, in the format of /proc/<pid>/smaps. */
  readonly inMemory: ReadonlySet<string>;
}

const BLOCK_BYTES = 512;
/** Limits the time of one scan. If there are more descriptors, each scan checks a different part. */
const MAX_DESCRIPTORS = 50_000;

/**
 * Finds the unlinked files that these processes have open, each file once. Checks the link count of each descriptor (about
 * 5 µs), because a process can forge the text of the /proc link. Skips processes that have ended or cannot be inspected.
 */
export function findUnlinkedFiles(pids: readonly number[]): UnlinkedFiles {
  const seen = new Set<string>();
  const inMemory = new Set<string>();
  let [memoryBytes, diskBytes] = [0, 0];
  for (const found of scanDescriptors(pids)) {
    if (seen.has(found.key)) continue;
    seen.add(found.key);
    if (found.isInMemory) {
      memoryBytes += found.bytes;
      inMemory.add(found.key);
    } else diskBytes += found.bytes;
  }
  return { memoryBytes, diskBytes, inMemory };
}

/** Returns how many bytes of these files the processes have mapped. They already count towards the processes. Takes milliseconds per process. */
export function readMappedBytes(pids: readonly number[], files: ReadonlySet<string>): number {
  if (files.size === 0) return 0;
  return 1024 * pids.reduce((sum, pid) => sum + mappedBy(pid, files), 0);
}

interface UnlinkedFile {
  readonly key: string;
  readonly bytes: number;
  readonly isInMemory: boolean;
}

function* scanDescriptors(pids: readonly number[]): Generator<UnlinkedFile> {
  let left = MAX_DESCRIPTORS;
  for (const pid of rotateRandomly(pids)) {
    const folder = `/proc/${pid}/fd`;
    try {
      for (const number of rotateRandomly(readdirSync(folder))) {
        if (left-- === 0) return;
        const found = inspectDescriptor(`${folder}/${number}`);
        if (found !== null) yield found;
      }
    } catch {
      // The process has ended or cannot be inspected.
    }
  }
}

/** Starts at a random position, so that a process cannot predict which descriptors are skipped. */
function rotateRandomly<T>(list: readonly T[]): readonly T[] {
  const start = Math.floor(Math.random() * list.length);
  return [...list.slice(start), ...list.slice(0, start)];
}

function inspectDescriptor(descriptor: string): UnlinkedFile | null {
  const found = statSync(descriptor, { throwIfNoEntry: false });
  if (found === undefined || found.nlink > 0 || !found.isFile()) return null;
  try {
    // Read the few matches again as bigint, because an inode number can exceed the safe integer range.
    const { ino, dev, blocks } = statSync(descriptor, { bigint: true });
    return {
      key: `${describeDevice(dev)} ${ino}`,
      bytes: Number(blocks) * BLOCK_BYTES,
      isInMemory: MEMORY.includes(statfsSync(descriptor).type),
    };
  } catch {
    // The descriptor was closed in the meantime.
    return null;
  }
}

/** Magic numbers of tmpfs (also used for memfd), ramfs and hugetlbfs. */
const MEMORY: readonly number[] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];

/** Formats a device as in /proc/<pid>/smaps: `major:minor`, hexadecimal with at least two digits. */
function describeDevice(dev: bigint): string {
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & 0xffff_f000n);
  const minor = (dev & 0xffn) | ((dev >> 12n) & 0xffff_ff00n);
  return [major, minor].map((part) => part.toString(16).padStart(2, "0")).join(":");
}

const MAPPING = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ (\S+ \d+)/;
const FIELD = /^(Pss|Anonymous):\s+(\d+)/;

/** In kB. Excludes private copies of a file's pages, which belong to the process and not to the file. */
function mappedBy(pid: number, files: ReadonlySet<string>): number {
  let sum = 0;
  let shared: number | null = null;
  for (const line of readMappings(pid)) {
    const mapping = MAPPING.exec(line)?.[1];
    if (mapping !== undefined) shared = files.has(mapping) ? 0 : null;
    const field = shared === null ? null : FIELD.exec(line);
    if (shared === null || field === null) continue;
    if (field[1] === "Pss") shared = Number(field[2]);
    else sum += Math.max(0, shared - Number(field[2]));
  }
  return sum;
}

function readMappings(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/smaps`, "latin1").split("\n");
  } catch {
    return [];
  }
}
