import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import type { Syscall } from "../../src/testing/syscalls/syscall-program.ts";
import { syscallProgram } from "../../src/testing/syscalls/syscall-program.ts";
import { Absent, Refused } from "./attack.ts";

// Tools for attackers.

let programs = 0;

/** Makes system calls with a generated program. Returns the errno of the first that failed, else 0. */
export function errnoOf(calls: readonly Syscall[]): number {
  if (process.arch !== "x64" && process.arch !== "arm64") throw new Absent(process.arch);
  const file = join(process.cwd(), `.attack-${process.pid}-${programs++}`);
  try {
    writeFileSync(file, syscallProgram(process.arch, calls), { mode: 0o755 });
    const { status, signal, error } = spawnSync(file, { timeout: 4_000, killSignal: "SIGKILL" });
    if (error !== undefined) throw error;
    if (status === null) throw new Refused(`ended by ${signal}`);
    return status;
  } finally {
    rmSync(file, { force: true });
  }
}

/** All calls must succeed, or the attack was refused. */
export function callAll(...calls: readonly Syscall[]): string {
  const errno = errnoOf(calls);
  if (errno === constants.errno.EAFNOSUPPORT) throw new Absent("the kernel does not have it");
  if (errno !== 0) throw new Refused(errnoName(errno));
  return "done";
}

const PERMISSION_ERRORS = [constants.errno.EPERM, constants.errno.EACCES];

/** The arguments are wrong on purpose: if the kernel complains about them, the call was reached. */
export function reachKernel(...calls: readonly Syscall[]): string {
  const errno = errnoOf(calls);
  if (errno === constants.errno.ENOSYS) throw new Absent("the kernel does not have it");
  if (PERMISSION_ERRORS.includes(errno)) throw new Refused(errnoName(errno));
  return `reached (${errnoName(errno)})`;
}

export function refuseUnless(got: boolean, why: string): string {
  if (!got) throw new Refused(why);
  return why;
}

/** The system call's number on this architecture: [x64, arm64]. */
export function syscallNumber([x64, arm64]: readonly [number | null, number | null]): number {
  const number = process.arch === "x64" ? x64 : arm64;
  if (number === null) throw new Absent(`not on ${process.arch}`);
  return number;
}

function errnoName(errno: number): string {
  return Object.entries(constants.errno).find(([, value]) => value === errno)?.[0] ?? `errno ${errno}`;
}
