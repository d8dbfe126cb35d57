import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sleep } from "../adapters/process/sleep.ts";
import { boundTreeMemory, readTreeMemory } from "../adapters/process/tree-usage.ts";
import { createTree } from "../adapters/process/tree.ts";
import type { Breach } from "./limits.ts";
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

/** A command like those of a run: leader of a group of its own. */
function start(code: string, program = process.execPath): WatchdogParams["members"] {
  const argv = [program === "sh" ? "-c" : "-e", code];
  const child = spawn(program, argv, { detached: true, stdio: "ignore", cwd: dir });
  if (child.pid === undefined) throw new Error(`${program} cannot be started`);
  const tree = createTree({ leader: { pid: child.pid, startTime: null }, environment: "", since: null });
  cleanUps.push(tree.end);
  return tree.members;
}

type Over = Partial<Omit<WatchdogParams, "limits" | "onBreach">> & { limits?: Partial<WatchdogParams["limits"]> };

/** All breaches that are told within the time. */
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
      // Whether it is told once more shows in the ticks after this one.
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

describe("memory", () => {
  it("of one process that takes too much is told once, with numbers", async () => {
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

  it("of many that each take little is counted together, also of those that come later", async () => {
    const code = `setTimeout(() => { for (let i = 0; i < 4; i++) child_process.spawn(process.execPath, ["-e", ${JSON.stringify(allocate(60))}]); }, 300); setInterval(() => 0, 1e6)`;
    const [breach] = await watch({ members: start(code), limits: { treeMemoryBytes: 200 * MB } }, 15_000);
    expect(breach?.endedBy).toBe("memory");
  });

  it("that is shared is counted once", async () => {
    // A shell that holds 20 MB, and four copies that it forks.
    const code = `held=$(head -c ${20 * MB} /dev/zero | tr '\\0' x); for i in 1 2 3 4; do (sleep 100; :) & done; touch ready; wait`;
    const members = start(code, "sh");
    while (!existsSync(join(dir, "ready"))) await sleep(20);
    const limits = { treeMemoryBytes: 75 * MB };
    expect(await watch({ members, limits }, 1_000)).toEqual([]);
    const pids = members().map(({ pid }) => pid);
    expect(boundTreeMemory(pids)).toBeGreaterThan(limits.treeMemoryBytes);
    expect(readTreeMemory(pids)).toBeGreaterThan(20 * MB);
  });

  it("of a command that is paused is not looked at", async () => {
    const members = start(allocate(300));
    expect(await watch({ members, limits: { treeMemoryBytes: 200 * MB }, isPaused: () => true }, 1_000)).toEqual([]);
  });
});

describe("disk", () => {
  it("filled with many small files is told, with numbers", async () => {
    const code = `for (let i = 0; ; i++) { fs.writeFileSync("f" + i, "x"); if (i > 4000) { setInterval(() => 0, 1e6); break; } }`;
    const [breach, ...more] = await watch({ members: start(code), limits: { diskBytes: 8 * MB } }, 15_000);
    expect(breach?.endedBy).toBe("disk");
    expect(breach?.sentence).toMatch(/^It filled 8\.\d MB of disk, more than the 8\.0 MB allowed, and was ended\.$/);
    expect(more).toEqual([]);
  });

  it("below the floor is told at once", async () => {
    const [breach] = await watch({ limits: { diskFloorBytes: 1e18 } }, 5_000);
    expect(breach?.endedBy).toBe("disk");
    expect(breach?.sentence).toMatch(
      /^Only [\d.]+ [MG]B are free on the disk it writes to, less than the [\d.]+ GB that must stay/,
    );
  });

  it("within the limits is no matter, nor a directory that is gone", async () => {
    writeFileSync(join(dir, "some"), Buffer.alloc(MB, 1));
    expect(await watch({ writable: [dir, join(dir, "gone")] }, 1_000)).toEqual([]);
  });
});

it("tells nothing once it is stopped", async () => {
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
  await sleep(5 * TICK_MS);
  expect(breaches).toEqual([]);
});
