import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { ConfinedCommand } from "../../ports/sandbox.ts";

export interface ConfinedResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the wall wrote about itself. */
  readonly status: string;
  /** After the first process ended, somebody still held its output open. */
  readonly leftSomebody: boolean;
}

export interface ConfinedLimits {
  readonly timeoutMs: number;
  /** For its output to end after the first process did. */
  readonly graceMs: number;
}

/** Starts a confined command as the supervisor does, for a short while and without a terminal. Throws when it cannot be started. */
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
      // With "pipe" every one of them is a stream that can be written to.
      const pipe = child.stdio[3 + index] as Writable;
      // A wall that ends early leaves its input unread; what it said tells more.
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
      const finish = (leftSomebody: boolean): void => {
        clearTimeout(grace);
        for (const stream of child.stdio) stream?.destroy();
        done({
          code,
          stdout: stdout(),
          stderr: stderr(),
          status: statuses.map((read) => read()).join(""),
          leftSomebody,
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
