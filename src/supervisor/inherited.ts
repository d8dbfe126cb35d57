import { closeSync, fstatSync, readdirSync, readFileSync, readSync } from "node:fs";
import { hasCode } from "../adapters/process/job-files.ts";
import type { JobSecrets } from "../adapters/process/job-files.ts";

const PIPE = 3;
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Reads the secrets that the parent process sends through the inherited pipe, and closes the pipe. Returns null if they
 * do not arrive, because the parent dismissed this supervisor or has exited.
 */
export function readJobSecrets(): JobSecrets | null {
  // If a person started the supervisor without a pipe, this descriptor belongs to Node itself.
  if (!isPipe()) return null;
  try {
    // The cast is safe: only the parent process writes here, and incomplete JSON does not parse.
    return JSON.parse(readPipe()) as JobSecrets;
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
    // The pipe is already closed.
  }
}

/**
 * Closes inherited descriptors, except the standard streams and the pipe, because every command would inherit them too.
 * Node sets close-on-exec only on its own descriptors and the first few inherited ones. Works only on Linux.
 */
export function closeInheritedDescriptors(): void {
  for (const descriptor of listDescriptors()) {
    if (descriptor > PIPE && isInheritable(descriptor)) closeSync(descriptor);
  }
}

function listDescriptors(): readonly number[] {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").map(Number) : [];
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // This descriptor was used to list the directory and is closed now.
    return false;
  }
}
