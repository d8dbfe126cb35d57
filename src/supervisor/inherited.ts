import { closeSync, fstatSync, readdirSync, readFileSync, readSync } from "node:fs";
import { hasCode } from "../adapters/process/job-files.ts";
import type { Handed } from "../adapters/process/job-files.ts";

const PIPE = 3;
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Waits for what whoever started us writes into the inherited pipe, to its end, and closes it. Null when it did not come:
 * we were dismissed, or whoever started us has ended.
 */
export function readHanded(): Handed | null {
  // Started by hand, without one: the number then belongs to something of Node's own.
  if (!isPipe()) return null;
  try {
    // Written by whoever started us, in one piece: what is whole is right.
    return JSON.parse(readPipe()) as Handed;
  } catch {
    return null;
  }
}

function isPipe(): boolean {
  try {
    const stats = fstatSync(PIPE);
    return stats.isSocket() || stats.isFIFO();
  } catch {
    return false;
  }
}

function readPipe(): string {
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(65_536);
  for (;;) {
    try {
      const length = readSync(PIPE, chunk);
      if (length === 0) break;
      chunks.push(Buffer.from(chunk.subarray(0, length)));
    } catch (error) {
      if (!hasCode(error, "EAGAIN")) break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
  closeQuietly();
  return Buffer.concat(chunks).toString("utf8");
}

function closeQuietly(): void {
  try {
    closeSync(PIPE);
  } catch {
    // There was no such pipe: the names are then missing, which is what matters.
  }
}

/**
 * Closes what we inherited beyond the standard three and the pipe, and would pass on to every command: Node marks its own descriptors
 * as not to be passed on, and of the inherited ones only the first few. Elsewhere than on Linux one cannot tell.
 */
export function closeInheritedDescriptors(): void {
  for (const descriptor of listDescriptors()) {
    if (descriptor > PIPE && isPassedOn(descriptor)) closeSync(descriptor);
  }
}

function listDescriptors(): readonly number[] {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").map(Number) : [];
}

function isPassedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was the one that listed the directory.
    return false;
  }
}
