import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { waitUntil } from "../../testing/wait-until.ts";
import {
  hasInEnvironment,
  isProcessAlive,
  listProcesses,
  parsePs,
  parseStat,
  processStartTime,
} from "./process-table.ts";
import { prepareSocketPath } from "./socket-path.ts";
import { createTree } from "./tree.ts";

test("process table: brackets and spaces in a program name do not break parsing", () => {
  const fields = ["S", 7, 40, 41, ...Array.from({ length: 15 }, (_, index) => index), 987654, 0, 0].join(" ");
  expect(parseStat(`42 (a) R 1 2 3 (b) ${fields}`)).toEqual({
    pid: 42,
    parent: 7,
    group: 40,
    session: 41,
    state: "S",
    startTime: 987654,
  });
});

test("process table: parses the output of ps where there is no /proc", () => {
  const started = "Mon Nov 16 01:02:03 2026";
  expect(parsePs(`  1     0     1 Ss   ${started}\n 4711    1  4700 T+   ${started}    \n\n`)).toEqual([
    { pid: 1, parent: 0, group: 1, session: 0, state: "S", startTime: Date.parse(started) },
    { pid: 4711, parent: 1, group: 4700, session: 0, state: "T", startTime: Date.parse(started) },
  ]);
});

describe("process is alive", () => {
  test("if pid and start time match", () => {
    const startTime = processStartTime(process.pid);
    expect(isProcessAlive(process.pid, startTime)).toBe(true);
    expect(isProcessAlive(process.pid, null)).toBe(true);
    expect(isProcessAlive(process.pid, (startTime ?? 0) + 1)).toBe(false);
    expect(listProcesses()).toContainEqual(expect.objectContaining({ pid: process.pid, startTime }));
  });

  test("unless it is a zombie", async () => {
    // The shell becomes a program that never reaps its child. The shell itself would, so wait until it has.
    const parent = spawn("sh", ["-c", "sleep 30 & echo $!; exec sleep 30"], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (text) => resolve(Number(text))));
    expect(isProcessAlive(pid, null)).toBe(true);
    const programOf = ["-o", "comm=", "-p", String(parent.pid)];
    await waitUntil(() => execFileSync("ps", programOf, { encoding: "utf8" }).trim().endsWith("sleep"));
    process.kill(pid, "SIGKILL");
    await waitUntil(() => !isProcessAlive(pid, null));
    expect(() => process.kill(pid, 0)).not.toThrow();
  });
});

test("process table: the environment is searched for complete entries", async () => {
  const child = spawn("sleep", ["30"], { env: { ...process.env, NIGHTSHIFT_RUN: "run_ab" } });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((resolve) => child.once("spawn", resolve));
  const pid = child.pid ?? 0;
  expect(hasInEnvironment(pid, "NIGHTSHIFT_RUN=run_ab")).toBe(true);
  expect(hasInEnvironment(pid, "NIGHTSHIFT_RUN=run_a")).toBe(false);
  expect(hasInEnvironment(pid, "RUN=run_ab")).toBe(false);
});

test("a tree ends descendants that left its group, and spares a stranger that has its leader's pid", async () => {
  const child = spawn("sh", ["-c", "setsid sleep 30 & echo $!; wait"], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const grandchild = await new Promise<number>((resolve) => child.stdout.once("data", (text) => resolve(Number(text))));
  const pid = child.pid ?? 0;
  const treeOf = (startTime: number | null) => createTree({ leader: { pid, startTime }, environment: "", since: null });
  await treeOf((processStartTime(pid) ?? 0) + 1).end();
  expect(isProcessAlive(pid, null)).toBe(true);
  await treeOf(processStartTime(pid)).end();
  expect([isProcessAlive(pid, null), isProcessAlive(grandchild, null)]).toEqual([false, false]);
});

function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), "nightshift-socket-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

describe("control socket path", () => {
  test("differs between jobs, is short enough, and is in a private directory", () => {
    const home = temporary();
    const [one, other] = [prepareSocketPath(home, "/runs/a"), prepareSocketPath(home, "/runs/a/baseline")];
    expect(one).not.toBe(other);
    expect(statSync(join(home, "s")).mode & 0o777).toBe(0o700);
    const deep = prepareSocketPath(join(home, "d".repeat(90)), "/runs/a");
    expect(Buffer.byteLength(deep)).toBeLessThan(104);
    rmSync(join(deep, ".."), { recursive: true });
  });

  test("is refused in a directory that others can enter", () => {
    const home = temporary();
    mkdirSync(join(home, "s"), { mode: 0o755 });
    expect(() => prepareSocketPath(home, "/runs/a")).toThrow(/only you can enter/);
  });
});
