import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0 if the system does not provide it. */
  readonly session: number;
  /** State letter of the kernel: R running, S sleeping, D uninterruptible, T stopped, Z zombie. */
  readonly state: string;
  /** Identifies a process together with its pid, because pids are reused. The unit differs between systems. */
  readonly startTime: number;
}

export const HAS_PROC = process.platform === "linux";

export function listProcesses(): readonly ProcessInfo[] {
  if (!HAS_PROC) return parsePs(runPs(["-axo"]));
  const processes: ProcessInfo[] = [];
  for (const name of readdirSync("/proc")) {
    const info = /^\d+$/.test(name) ? parseStat(readProcFile(Number(name), "stat")) : null;
    if (info !== null) processes.push(info);
  }
  return processes;
}

/** Returns null if there is no such process. */
export function readProcess(pid: number): ProcessInfo | null {
  if (HAS_PROC) return parseStat(readProcFile(pid, "stat"));
  return parsePs(runPs(["-p", String(pid), "-o"]))[0] ?? null;
}

export function processStartTime(pid: number): number | null {
  return readProcess(pid)?.startTime ?? null;
}

/** Treats a zombie as dead, unlike `kill(pid, 0)`. A null start time means that it is unknown. */
export function isProcessAlive(pid: number, startTime: number | null): boolean {
  const info = readProcess(pid);
  if (info === null || isDead(info)) return false;
  return startTime === null || info.startTime === startTime;
}

export function isDead(info: ProcessInfo): boolean {
  return info.state === "Z" || info.state === "X";
}

/** Whether the process was started with this `NAME=value` in its environment. Returns false if it cannot be read. */
export function hasInEnvironment(pid: number, entry: string): boolean {
  if (!HAS_PROC) return false;
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
    return `\0${environment}`.includes(`\0${entry}\0`);
  } catch {
    return false;
  }
}

const buffer = Buffer.alloc(8192);

/** Returns "" if the process has ended or cannot be inspected. A shared buffer takes less than half the time of readFile. */
export function readProcFile(pid: number, file: string): string {
  let handle: number | null = null;
  try {
    handle = openSync(`/proc/${pid}/${file}`, "r");
    return buffer.toString("latin1", 0, readSync(handle, buffer));
  } catch {
    return "";
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

/** The second field is the program name in brackets. It may contain spaces and brackets, so parse from its end. */
export function parseStat(text: string): ProcessInfo | null {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return null;
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    state,
    startTime: Number(startTime),
  };
}

function runPs(selection: readonly string[]): string {
  try {
    return execFileSync("ps", [...selection, "pid=,ppid=,pgid=,state=,lstart="], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch {
    // ps exits with 1 if there is no such process.
    return "";
  }
}

export function parsePs(text: string): readonly ProcessInfo[] {
  const processes: ProcessInfo[] = [];
  for (const line of text.split("\n")) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S)\S*\s+(.+?)\s*$/.exec(line);
    if (match === null) continue;
    const [, pid, parent, group, state = "", started = ""] = match;
    processes.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      state,
      startTime: Date.parse(started),
    });
  }
  return processes;
}
