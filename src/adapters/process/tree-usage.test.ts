import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { boundTreeMemory, readLastPid, readTreeMemory } from "./tree-usage.ts";

const MB = 1024 * 1024;
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Starts a process that runs `code`, prints a line and waits. */
async function start(program: string, code: string): Promise<number> {
  const child = spawn(program, program === process.execPath ? ["-e", code] : ["-c", code], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return child.pid ?? 0;
}

const HOLD = `const held = Buffer.alloc(100 * ${MB}, 1); console.log("ready"); setInterval(() => held.length, 1e6)`;

describe.skipIf(process.platform !== "linux")("memory of a process tree", () => {
  it("is the sum over all processes", async () => {
    const idle = await start(process.execPath, 'console.log("ready"); setInterval(() => 0, 1e6)');
    const [a, b] = [await start(process.execPath, HOLD), await start(process.execPath, HOLD)];
    for (const measure of [boundTreeMemory, readTreeMemory]) {
      const [none, one, both] = [measure([idle]), measure([a]), measure([a, b])];
      expect(one - none).toBeGreaterThan(90 * MB);
      expect(one - none).toBeLessThan(130 * MB);
      expect(both - one).toBeGreaterThan(100 * MB);
      expect(both - one).toBeLessThan(180 * MB);
    }
  });

  it("excludes mapped files and processes that have ended", async () => {
    const pid = await start("sh", "echo ready; read x");
    expect(boundTreeMemory([pid])).toBeGreaterThan(0);
    expect(boundTreeMemory([pid])).toBeLessThan(2 * MB);
    expect(boundTreeMemory([2 ** 22 + 1])).toBe(0);
    expect(readTreeMemory([2 ** 22 + 1])).toBe(0);
    expect(readTreeMemory([])).toBe(0);
  });
});

it.skipIf(process.platform !== "linux")("process tree: a new process changes the last pid", async () => {
  const before = readLastPid();
  await start("sh", "echo ready; read x");
  expect(before).toMatch(/^\d+$/);
  expect(readLastPid()).not.toBe(before);
});
