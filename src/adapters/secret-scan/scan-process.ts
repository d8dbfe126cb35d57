import { spawn, type ChildProcessByStdio } from "node:child_process";
import { extname } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { ProgramAnswer } from "./frames.ts";

/** Keeps the scan program running, because loading its rules takes longer than most scans. One scan at a time. */
export interface ScanProcess {
  /** Returns its output until it finished or the timeout expired. Rejects if it could not run. */
  ask(request: readonly (string | Uint8Array)[], timeoutMs: number): Promise<readonly ProgramAnswer[]>;
}

const HEAP_MB = 512;
const PROGRAM = fileURLToPath(new URL(`./scan-program${extname(import.meta.url)}`, import.meta.url));
/** Frees its memory when no scans are running. */
const IDLE_MS = 60_000;
/** Restarts it after this many scans, so that nothing accumulates. */
const MAX_SCANS = 200;

type Program = ChildProcessByStdio<Writable, Readable, Readable>;

export function createScanProcess(): ScanProcess {
  let kept: Program | null = null;
  let scans = 0;
  let idle: NodeJS.Timeout | undefined;

  function drop(program: Program): void {
    if (kept === program) kept = null;
    program.stdin.end();
  }

  function take(): Program {
    clearTimeout(idle);
    if (kept !== null && scans < MAX_SCANS) return kept;
    if (kept !== null) drop(kept);
    scans = 0;
    kept = start();
    return kept;
  }

  function keep(program: Program): void {
    scans += 1;
    // Does not keep this process alive: the scan program exits when its input is closed.
    setKeepAlive(program, false);
    idle = setTimeout(() => drop(program), IDLE_MS).unref();
  }

  return {
    async ask(request, timeoutMs) {
      const program = take();
      setKeepAlive(program, true);
      const { answers, isDone } = await exchange(program, request, timeoutMs).catch((error: unknown) => {
        drop(program);
        throw error;
      });
      if (isDone) keep(program);
      else drop(program);
      return answers;
    },
  };
}

function start(): Program {
  const program = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, PROGRAM], {
    env: cleanEnvironment(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  // It may exit before it has read everything. Its exit code says why.
  program.stdin.on("error", () => undefined);
  program.on("error", () => undefined);
  return program;
}

async function exchange(
  program: Program,
  request: readonly (string | Uint8Array)[],
  timeoutMs: number,
): Promise<{ readonly answers: readonly ProgramAnswer[]; readonly isDone: boolean }> {
  const answers: ProgramAnswer[] = [];
  const lines = createInterface({ input: program.stdout });
  let said = "";
  const hear = (text: Buffer): void => void (said = (said + text.toString("utf8")).slice(-2000));
  program.stderr.on("data", hear);
  const timer = setTimeout(() => program.kill("SIGKILL"), timeoutMs);
  try {
    return await new Promise((resolve, reject) => {
      lines.on("line", (line) => {
        const answer = parse(line);
        if (answer !== null) answers.push(answer);
        if (answer?.isEnd === true) resolve({ answers, isDone: true });
      });
      program.once("error", reject);
      program.once("close", (code: number | null, signal: NodeJS.Signals | null) => {
        if (signal !== null) resolve({ answers, isDone: false });
        else reject(new Error(`the secret scan could not run: ${said.trim() || `exit code ${code}`}`));
      });
      for (const part of request) program.stdin.write(part);
    });
  } finally {
    clearTimeout(timer);
    lines.close();
    program.stderr.off("data", hear);
    program.removeAllListeners("close");
    // Keep one listener, so that a late error does not crash this process.
    program.removeAllListeners("error").on("error", () => undefined);
  }
}

/** The last line may be cut off if the program was killed; it is ignored. */
function parse(line: string): ProgramAnswer | null {
  try {
    return JSON.parse(line) as ProgramAnswer; // written by our own program
  } catch {
    return null;
  }
}

function setKeepAlive(program: Program, isNeeded: boolean): void {
  for (const each of [program, program.stdin, program.stdout, program.stderr])
    if (isReferable(each)) each[isNeeded ? "ref" : "unref"]();
}

function isReferable(value: object): value is { ref(): void; unref(): void } {
  return "ref" in value && "unref" in value;
}

/** Passes no environment variables: the rules need none, and what is missing cannot be printed. */
function cleanEnvironment(): Record<string, string> {
  const cache = process.env["NODE_COMPILE_CACHE"];
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };
}
