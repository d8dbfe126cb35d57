import { fork, type ChildProcess } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { FileChange } from "../../core/change/file-change.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";
import type { SecretFinding } from "../../ports/secret-scan.ts";

/** Message to the scan program: the files of a change one by one, then the order to scan them. */
export type ProgramInput = { readonly change: FileChange } | ScanOrder;

export interface ScanOrder {
  readonly secrets: readonly Secret[];
  readonly path: string;
  readonly timeoutMs: number;
}

/** Message from the scan program. */
export interface ProgramAnswer {
  readonly findings?: readonly SecretFinding[];
  /** Index of a file that was scanned. */
  readonly done?: number;
  /** A message for the log. */
  readonly note?: string;
  readonly isEnd?: true;
}

/** Returns the messages of the scan program until it finished or the timeout expired. Rejects if it could not run. */
export type AskProgram = (changes: readonly FileChange[], order: ScanOrder) => Promise<readonly ProgramAnswer[]>;

const HEAP_MB = 512;
const PROGRAM = fileURLToPath(new URL(`./scan-program${extname(import.meta.url)}`, import.meta.url));
/** Frees its memory when no scans are running. */
const IDLE_MS = 60_000;
/** Restarts it after this many scans, so that nothing accumulates. */
const MAX_SCANS = 200;

/** Keeps the scan program running, because loading its rules takes longer than most scans. One scan at a time. */
export function createScanProcess(): AskProgram {
  let kept: ChildProcess | null = null;
  let scans = 0;
  let idle: NodeJS.Timeout | undefined;

  function drop(program: ChildProcess): void {
    if (kept === program) kept = null;
    if (program.connected) program.disconnect();
  }

  function take(): ChildProcess {
    clearTimeout(idle);
    if (kept?.connected === true && scans < MAX_SCANS) return kept;
    if (kept !== null) drop(kept);
    scans = 0;
    kept = start();
    return kept;
  }

  function keep(program: ChildProcess): void {
    scans += 1;
    // Does not keep this process alive: the scan program exits when its channel is closed.
    setKeepAlive(program, false);
    idle = setTimeout(() => drop(program), IDLE_MS).unref();
  }

  return async (changes, order) => {
    const program = take();
    setKeepAlive(program, true);
    const { answers, isDone } = await exchange(program, changes, order).catch((error: unknown) => {
      drop(program);
      throw error;
    });
    if (isDone) keep(program);
    else drop(program);
    return answers;
  };
}

function start(): ChildProcess {
  const program = fork(PROGRAM, {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    env: cleanEnvironment(),
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  program.on("error", () => undefined);
  return program;
}

async function exchange(
  program: ChildProcess,
  changes: readonly FileChange[],
  order: ScanOrder,
): Promise<{ readonly answers: readonly ProgramAnswer[]; readonly isDone: boolean }> {
  const answers: ProgramAnswer[] = [];
  let said = "";
  const hear = (text: Buffer): void => void (said = (said + text.toString("utf8")).slice(-2000));
  program.stderr?.on("data", hear);
  const timer = setTimeout(() => program.kill("SIGKILL"), order.timeoutMs);
  try {
    return await new Promise((resolve, reject) => {
      program.on("message", (message) => {
        const answer = message as ProgramAnswer; // written by our own program
        answers.push(answer);
        if (answer.isEnd === true) resolve({ answers, isDone: true });
      });
      program.once("error", reject);
      program.once("close", (code: number | null, signal: NodeJS.Signals | null) => {
        if (signal !== null) resolve({ answers, isDone: false });
        else reject(new Error(`the secret scan could not run: ${said.trim() || `exit code ${code}`}`));
      });
      void sendAll(program, [...changes.map((change) => ({ change })), order]);
    });
  } finally {
    clearTimeout(timer);
    program.stderr?.off("data", hear);
    program.removeAllListeners("message");
    program.removeAllListeners("close");
    // Keep one listener, so that a late error does not crash this process.
    program.removeAllListeners("error").on("error", () => undefined);
  }
}

/** One message at a time, so that only one serialized copy is in memory. */
async function sendAll(program: ChildProcess, inputs: readonly ProgramInput[]): Promise<void> {
  // Errors are ignored: the program may exit before it has read everything, and its exit code says why.
  for (const input of inputs) await new Promise<void>((resolve) => program.send(input, () => resolve()));
}

function setKeepAlive(program: ChildProcess, isNeeded: boolean): void {
  for (const each of [program, program.channel, program.stderr])
    if (isReferable(each)) each[isNeeded ? "ref" : "unref"]();
}

function isReferable(value: object | null | undefined): value is { ref(): void; unref(): void } {
  return value != null && "ref" in value && "unref" in value;
}

/** Passes no environment variables: the rules need none, and what is missing cannot be printed. */
function cleanEnvironment(): Record<string, string> {
  const cache = process.env["NODE_COMPILE_CACHE"];
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };
}
