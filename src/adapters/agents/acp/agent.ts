import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** The agent as a process. */
export interface AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** How it ended, as a sentence. */
  readonly ended: Promise<string>;
  /** Lets it end by itself for a moment, then ends it. */
  stop(timeoutMs: number): Promise<void>;
}

const KILL_AFTER_MS = 500;

export function startAgent(command: readonly string[], cwd: string): AgentProcess {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`The agent ${program} could not be started: ${error.message}.`));
    // `close` and not `exit`: what it said last is still in the pipe.
    child.once("close", (code, signal) =>
      resolve(`The agent ${program} ended with ${signal ?? `code ${code ?? "none"}`}.`),
    );
  });
  const within = (ms: number) =>
    Promise.race([ended.then(() => true), new Promise<false>((resolve) => setTimeout(resolve, ms, false).unref())]);
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    stop: async (timeoutMs) => {
      child.stdin.end();
      if (await within(timeoutMs)) return;
      child.kill("SIGTERM");
      if (await within(KILL_AFTER_MS)) return;
      child.kill("SIGKILL");
      // A grandchild may hold the pipe for as long as it likes.
      await within(KILL_AFTER_MS);
    },
  };
}
