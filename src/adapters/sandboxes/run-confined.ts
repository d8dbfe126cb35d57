import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { ConfinedCommand } from "../../ports/sandbox.ts";

export interface ConfinedResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the sandbox wrote to its status descriptors. */
  readonly status: string;
  /** After the first process ended, another process still had its output open. */
  readonly hasLeftover: boolean;
}

export interface ConfinedLimits {
  readonly timeoutMs: number;
  /** How long to wait for the end of the output after the first process ended. */
  readonly graceMs: number;
}

/** Starts a confined command like the supervisor does, briefly and without a terminal. Throws if it cannot be started. */
export function runConfined(command: ConfinedCommand, { timeoutMs, graceMs }: ConfinedLimits): Promise<ConfinedResult> {
  const [program, ...args] = command.argv;
  const extra = Array.from({ length: command.inputs.length + command.statusPipes }, () => "pipe" as const);
  return new Promise((done, fail) => {
    const child = spawn(program, args, {
      cwd: command.cwd,
      env: { ...command.env },
      stdio: ["ignore", "pipe", "pipe", ...extra],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    child.once("error", fail);
    command.inputs.forEach((input, index) => {
      // With "pipe", each of them is a writable stream.
      const pipe = child.stdio[3 + index] as Writable;
      // A sandbox that ends early does not read its input. Its error message says more than EPIPE.
      pipe.on("error", () => undefined);
      pipe.end(input);
    });
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    const firstStatus = 3 + command.inputs.length;
    const statuses = child.stdio
      .slice(firstStatus, firstStatus + command.statusPipes)
      .map((pipe) => collect(pipe as Readable));
    child.once("exit", (code) => {
      const finish = (hasLeftover: boolean): void => {
        clearTimeout(grace);
        for (const stream of child.stdio) stream?.destroy();
        done({
          code,
          stdout: stdout(),
          stderr: stderr(),
          status: statuses.map((read) => read()).join(""),
          hasLeftover,
        });
      };
      const grace = setTimeout(() => finish(true), graceMs);
      child.once("close", () => finish(false));
    });
  });
}

function collect(stream: Readable | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}
