import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../testing/wait-until.ts";
import { sleep } from "../../adapters/process/sleep.ts";
import { boundTreeMemory, readTreeMemory } from "../../adapters/process/tree-usage.ts";
import { createTree } from "../../adapters/process/tree.ts";
import { RESULT, syscallProgram } from "../../testing/syscalls/syscall-program.ts";
import type { Syscall } from "../../testing/syscalls/syscall-program.ts";
import type { Breach } from "./limits.ts";
import { findUnlinkedFiles, readMappedBytes } from "./unlinked-files.ts";
import { startWatchdog } from "./watchdog.ts";
import type { WatchdogParams } from "./watchdog.ts";

const TICK_MS = 50;
const MB = 1024 * 1024;
const ROOMY = { treeMemoryBytes: 8_000 * MB, diskBytes: 8_000 * MB, diskFloorBytes: 0 };

let dir: string;
let cleanUps: (() => unknown)[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "watchdog-"));
  cleanUps = [];
});

afterEach(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  rmSync(dir, { recursive: true, force: true });
});

/** Starts a command like those of a run, in its own process group. */
function start(code: string, program = process.execPath): WatchdogParams["members"] {
  const argv = [program === "sh" ? "-c" : "-e", code];
  const child = spawn(program, argv, { detached: true, stdio: "ignore", cwd: dir });
  if (child.pid === undefined) throw new Error(`${program} cannot be started`);
  const tree = createTree({ leader: { pid: child.pid, startTime: null }, environment: "", since: null });
  cleanUps.push(tree.end);
  return tree.members;
}

const isLinux = process.platform === "linux" && (process.arch === "x64" || process.arch === "arm64");
const [MEMFD, FALLOCATE, MMAP, CLONE, NANOSLEEP] =
  process.arch === "x64" ? [319, 285, 9, 56, 35] : [279, 47, 222, 220, 101];
const SLEEP: Syscall = { call: NANOSLEEP, args: [{ words: [1_000, 0] }, 0] };
const SIGCHLD = 17;
/** Magic number of tmpfs, whose files are in memory. */
const TMPFS = 0x0102_1994;
const FORK: Syscall = { call: CLONE, args: [SIGCHLD, 0, 0, 0, 0] };
const memfd = (megabytes: number): readonly Syscall[] => [
  { call: MEMFD, args: ["x", 0] },
  { call: FALLOCATE, args: [RESULT, 0, 0, megabytes * MB] },
];
/** Maps the first opened file: readable, writable, shared, populated. */
const mapped = (megabytes: number): Syscall => ({ call: MMAP, args: [0, megabytes * MB, 3, 0x8001, 3, 0] });

/** Assembles a program of these system calls. */
function startCalls(calls: readonly Syscall[]): WatchdogParams["members"] {
  const arch = process.arch === "arm64" ? "arm64" : "x64";
  writeFileSync(join(dir, "calls"), syscallProgram(arch, calls), { mode: 0o755 });
  return start("exec ./calls", "sh");
}

type Over = Partial<Omit<WatchdogParams, "limits" | "onBreach">> & { limits?: Partial<WatchdogParams["limits"]> };

/** Returns all breaches that are reported within the time. */
async function watch({ limits, ...over }: Over, ms: number): Promise<readonly Breach[]> {
  const breaches: Breach[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const watchdog = startWatchdog({
    members: () => [],
    writable: [dir],
    isPaused: () => false,
    tickMs: TICK_MS,
    ...over,
    limits: { ...ROOMY, ...limits },
    onBreach(breach) {
      breaches.push(breach);
      // Later ticks show whether it is reported again.
      setTimeout(resolve, 5 * TICK_MS);
    },
  });
  const timer = setTimeout(resolve, ms);
  await promise;
  clearTimeout(timer);
  watchdog.stop();
  return breaches;
}

const allocate = (megabytes: number): string =>
  `const held = Buffer.alloc(${megabytes * MB}, 1); setInterval(() => held.length, 1e6);`;

describe("watchdog: memory", () => {
  it("a process above the limit is reported once, with numbers", async () => {
    const [breach, ...more] = await watch(
      { members: start(allocate(300)), limits: { treeMemoryBytes: 200 * MB } },
      10_000,
    );
    expect(breach?.endedBy).toBe("memory");
    expect(breach?.sentence).toMatch(
      /^It used [23]\d\d\.\d MB of memory, more than the 200\.0 MB allowed, and was ended\.$/,
    );
    expect(more).toEqual([]);
  });

  it("the memory of many processes is summed, including processes that start later", async () => {
    const code = `setTimeout(() => { for (let i = 0; i < 4; i++) child_process.spawn(process.execPath, ["-e", ${JSON.stringify(allocate(60))}]); }, 300); setInterval(() => 0, 1e6)`;
    const [breach] = await watch({ members: start(code), limits: { treeMemoryBytes: 200 * MB } }, 15_000);
    expect(breach?.endedBy).toBe("memory");
  });

  it("shared memory is counted once", async () => {
    // A shell with 20 MB and four forks of it.
    const code = `held=$(head -c ${20 * MB} /dev/zero | tr '\\0' x); for i in 1 2 3 4; do (sleep 100; :) & done; touch ready; wait`;
    const members = start(code, "sh");
    await waitUntil(() => existsSync(join(dir, "ready")));
    const limits = { treeMemoryBytes: 75 * MB };
    expect(await watch({ members, limits }, 1_000)).toEqual([]);
    const pids = members().map(({ pid }) => pid);
    expect(boundTreeMemory(pids)).toBeGreaterThan(limits.treeMemoryBytes);
    expect(readTreeMemory(pids)).toBeGreaterThan(20 * MB);
  });

  it.runIf(isLinux)("unlinked files in memory that no process has mapped are counted", async () => {
    const members = startCalls([...memfd(60), ...memfd(60), SLEEP]);
    const [breach] = await watch({ members, limits: { treeMemoryBytes: 100 * MB } }, 15_000);
    expect(breach?.endedBy).toBe("memory");
    expect(breach?.sentence).toMatch(/^It used 1[0-3]\d\.\d MB of memory, more than the 100\.0 MB allowed/);
  });

  it.runIf(isLinux)("an unlinked file that is mapped or open in several processes is counted once", async () => {
    const members = startCalls([...memfd(60), mapped(60), FORK, SLEEP]);
    const pidsOf = () => members().map(({ pid }) => pid);
    await waitUntil(() => pidsOf().length >= 2 && boundTreeMemory(pidsOf()) >= 60 * MB);
    const pids = pidsOf();
    const { memoryBytes, diskBytes, inMemory } = findUnlinkedFiles(pids);
    expect([memoryBytes, diskBytes, inMemory.size]).toEqual([60 * MB, 0, 1]);
    expect(readMappedBytes(pids, inMemory)).toBeGreaterThan(59 * MB);
    expect(boundTreeMemory(pids) + memoryBytes).toBeGreaterThan(100 * MB);
    expect(await watch({ members, limits: { treeMemoryBytes: 100 * MB } }, 1_000)).toEqual([]);
  });

  it("a paused command is not checked", async () => {
    const members = start(allocate(300));
    expect(await watch({ members, limits: { treeMemoryBytes: 200 * MB }, isPaused: () => true }, 1_000)).toEqual([]);
  });
});

/** The command may still be writing, so the size is above the limit and at most what it writes in total. */
const filled = (breach: Breach | undefined): number =>
  Number(/^It filled ([\d.]+) MB/.exec(breach?.sentence ?? "")?.[1]);
const isBetween = (least: number, most: number) => (megabytes: number) => megabytes >= least && megabytes <= most;

describe("watchdog: disk", () => {
  it("many small files above the limit are reported, with numbers", async () => {
    const code = `for (let i = 0; ; i++) { fs.writeFileSync("f" + i, "x"); if (i > 4000) { setInterval(() => 0, 1e6); break; } }`;
    const [breach, ...more] = await watch({ members: start(code), limits: { diskBytes: 8 * MB } }, 15_000);
    expect(breach?.endedBy).toBe("disk");
    expect(breach?.sentence).toMatch(/^It filled [\d.]+ MB of disk, more than the 8\.0 MB allowed, and was ended\.$/);
    expect(filled(breach)).toSatisfy(isBetween(8, 17));
    expect(more).toEqual([]);
  });

  it.runIf(isLinux && statfsSync(tmpdir()).type !== TMPFS)("a deleted file that is still open is counted", async () => {
    const code = `const f = fs.openSync("gone", "w"); fs.unlinkSync("gone"); fs.writeSync(f, Buffer.alloc(${12 * MB}, 1)); setInterval(() => f, 1e6)`;
    const [breach] = await watch({ members: start(code), limits: { diskBytes: 8 * MB } }, 15_000);
    expect(breach?.endedBy).toBe("disk");
    expect(filled(breach)).toSatisfy(isBetween(8, 13));
  });

  it("too little free space is reported at once", async () => {
    const [breach] = await watch({ limits: { diskFloorBytes: 1e18 } }, 5_000);
    expect(breach?.endedBy).toBe("disk");
    expect(breach?.sentence).toMatch(
      /^Only [\d.]+ [MG]B are free on the disk that it writes to, less than the required [\d.]+ GB/,
    );
  });

  it("usage within the limits and a missing directory are not reported", async () => {
    writeFileSync(join(dir, "some"), Buffer.alloc(MB, 1));
    expect(await watch({ writable: [dir, join(dir, "gone")] }, 1_000)).toEqual([]);
  });
});

it("watchdog: reports nothing after it is stopped", async () => {
  const breaches: Breach[] = [];
  const watchdog = startWatchdog({
    limits: { ...ROOMY, diskFloorBytes: 1e18 },
    members: () => [],
    writable: [dir],
    isPaused: () => false,
    tickMs: TICK_MS,
    onBreach: (breach) => breaches.push(breach),
  });
  watchdog.stop();
  // Several ticks in which a running watchdog would report.
  await sleep(5 * TICK_MS);
  expect(breaches).toEqual([]);
});
