import { existsSync } from "node:fs";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { MachineError } from "../../core/text/errors.ts";

export interface GitCall {
  readonly args: readonly string[];
  readonly gitDir: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  /** Replaces the clean environment. Only for fetch and push, see network-env.ts. */
  readonly env?: Readonly<Record<string, string>>;
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** `name=value` settings for this call only. */
  readonly settings?: readonly string[];
  readonly input?: string | Buffer | AsyncIterable<Buffer>;
  /** Stops git after this much output. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

export interface GitResult {
  /** Null if we stopped git. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const TEN_MINUTES = 600_000;
const STDERR_BYTES = 64 * 1024;

/** Settings for every call: neither a repository nor the user's configuration can make git start a program or convert bytes. */
const SAFE_SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.quotePath=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
  "commit.gpgSign=false",
  "push.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "fastimport.unpackLimit=0",
  // Commits that the store refers to must survive a power failure; by default git does not sync loose objects.
  "core.fsync=committed",
  "core.fsyncMethod=batch",
];

/** Environment for every call: no prompts, no lazy downloads, only transports that cannot name a program. */
export const BASE_ENV: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
};

/** Runs git and waits for it. Any exit code is a result; throws only if git cannot be started or its input cannot be written. */
export async function runGit(call: GitCall): Promise<GitResult> {
  const settings = [...SAFE_SETTINGS, ...(call.settings ?? [])].flatMap((setting) => ["-c", setting]);
  const child = spawn("git", [...settings, ...call.args], {
    // Never the agent's checkout: git changes into it itself when needed.
    cwd: call.gitDir,
    env: { ...(call.env ?? cleanEnv()), ...directoryEnv(call), ...call.extraEnv },
    stdio: [call.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    timeout: call.timeoutMs ?? TEN_MINUTES,
    killSignal: "SIGKILL",
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let outBytes = 0;
  let errBytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout.push(chunk);
    outBytes += chunk.length;
    if (call.maxBytes !== undefined && outBytes > call.maxBytes) child.kill("SIGKILL");
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    if (errBytes < STDERR_BYTES) stderr.push(chunk);
    errBytes += chunk.length;
  });
  const [code] = await Promise.all([waitForEnd(child), writeInput(child, call.input)]);
  return { code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() };
}

/** Like `runGit`, but throws on a non-zero exit code. For calls that fail only because of a fault in the machine or in our code. */
export async function git(call: GitCall): Promise<Buffer> {
  const result = await runGit(call);
  if (result.code !== 0) throw gitFailure(call, result);
  return result.stdout;
}

/** A directory that does not exist contains no commit. */
export async function hasCommit(gitDir: string, commit: string): Promise<boolean> {
  if (!existsSync(gitDir)) return false;
  return (await runGit({ gitDir, args: ["cat-file", "-e", `${commit}^{commit}`] })).code === 0;
}

export function gitFailure(call: GitCall, result: GitResult): Error {
  const verb = call.args[0] ?? "git";
  if (/No space left on device|Disk quota exceeded/.test(result.stderr)) {
    return new MachineError(`git ${verb} failed because the disk is full.`, "Free some space and try again.");
  }
  const said = result.stderr.trim() || (result.code === null ? "it was stopped" : `exit code ${result.code}`);
  return new Error(`git ${verb} failed in ${call.gitDir}: ${said}`);
}

function cleanEnv(): Record<string, string> {
  return {
    ...BASE_ENV,
    PATH: process.env["PATH"] ?? "",
    HOME: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
  };
}

function directoryEnv(call: GitCall): Record<string, string> {
  return {
    GIT_DIR: call.gitDir,
    ...(call.workTree === undefined ? {} : { GIT_WORK_TREE: call.workTree }),
    ...(call.indexFile === undefined ? {} : { GIT_INDEX_FILE: call.indexFile }),
  };
}

function waitForEnd(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "ENOENT" ? explainMissing() : error);
    });
    child.once("close", resolve);
  });
}

function explainMissing(): MachineError {
  return new MachineError(
    "git could not be started: it is not on the PATH, or Nightshift's data directory was removed.",
    "Install git 2.38 or newer.",
  );
}

async function writeInput(child: ChildProcess, input: GitCall["input"]): Promise<void> {
  if (input === undefined || child.stdin === null) return;
  const source = typeof input === "string" || Buffer.isBuffer(input) ? [Buffer.from(input)] : input;
  try {
    await pipeline(Readable.from(source), child.stdin);
  } catch (error) {
    // git ended before it read all of its input. Its exit code says why.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EPIPE" || code === "ERR_STREAM_PREMATURE_CLOSE" || child.pid === undefined) return;
    child.kill("SIGKILL");
    throw error;
  }
}
