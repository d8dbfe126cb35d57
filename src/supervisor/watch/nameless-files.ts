import { readdirSync, readFileSync, statfsSync, statSync } from "node:fs";

/**
 * Files that have no name, or have lost it, and are there because a process has them open: they are found in no directory, and
 * those in memory (memfd) count for no process as long as none maps them.
 */
export interface NamelessFiles {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** Those in memory, as the kernel names them in a process's table of mappings. */
  readonly inMemory: ReadonlySet<string>;
}

const BLOCK_BYTES = 512;
/** What is still quick. Whoever opens more is looked at in parts, others each time. */
const MOST_DESCRIPTORS = 50_000;

/**
 * What these processes keep open, each file once. One look at each descriptor, some 5 µs: whether it has a name is in its count
 * of links, which cannot be forged as the text of a link can. Who has ended or may not be looked at is passed over.
 */
export function findNameless(pids: readonly number[]): NamelessFiles {
  const seen = new Set<string>();
  const inMemory = new Set<string>();
  let [memoryBytes, diskBytes] = [0, 0];
  for (const found of namelessOf(pids)) {
    if (seen.has(found.key)) continue;
    seen.add(found.key);
    if (found.isInMemory) {
      memoryBytes += found.bytes;
      inMemory.add(found.key);
    } else diskBytes += found.bytes;
  }
  return { memoryBytes, diskBytes, inMemory };
}

/** Of these files, what the processes have mapped, which is counted as theirs already. Takes milliseconds for a process. */
export function readMapped(pids: readonly number[], files: ReadonlySet<string>): number {
  if (files.size === 0) return 0;
  return 1024 * pids.reduce((sum, pid) => sum + mappedBy(pid, files), 0);
}

interface Nameless {
  readonly key: string;
  readonly bytes: number;
  readonly isInMemory: boolean;
}

function* namelessOf(pids: readonly number[]): Generator<Nameless> {
  let left = MOST_DESCRIPTORS;
  for (const pid of turned(pids)) {
    const folder = `/proc/${pid}/fd`;
    try {
      for (const number of turned(readdirSync(folder))) {
        if (left-- === 0) return;
        const found = lookAt(`${folder}/${number}`);
        if (found !== null) yield found;
      }
    } catch {
      // It has ended, or is not ours to look at: then none of its descriptors is.
    }
  }
}

/** Begins somewhere else each time, so that nobody knows where nobody looks. */
function turned<T>(list: readonly T[]): readonly T[] {
  const start = Math.floor(Math.random() * list.length);
  return [...list.slice(start), ...list.slice(0, start)];
}

function lookAt(descriptor: string): Nameless | null {
  const found = statSync(descriptor, { throwIfNoEntry: false });
  if (found === undefined || found.nlink > 0 || !found.isFile()) return null;
  try {
    // Once more for the few: numbers of inodes can be too large for a plain number, and two must not look like one.
    const { ino, dev, blocks } = statSync(descriptor, { bigint: true });
    return {
      key: `${describeDevice(dev)} ${ino}`,
      bytes: Number(blocks) * BLOCK_BYTES,
      isInMemory: MEMORY.includes(statfsSync(descriptor).type),
    };
  } catch {
    // Closed meanwhile.
    return null;
  }
}

/** tmpfs (and what memfd is made of), ramfs, hugetlbfs. */
const MEMORY: readonly number[] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];

/** As in the table of mappings: `major:minor`, hexadecimal, of two digits at least. */
function describeDevice(dev: bigint): string {
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & 0xffff_f000n);
  const minor = (dev & 0xffn) | ((dev >> 12n) & 0xffff_ff00n);
  return [major, minor].map((part) => part.toString(16).padStart(2, "0")).join(":");
}

const MAPPING = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ (\S+ \d+)/;
const FIELD = /^(Pss|Anonymous):\s+(\d+)/;

/** In kB. Copies that a process has made of a file's pages for itself are its own, and no longer the file's. */
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
