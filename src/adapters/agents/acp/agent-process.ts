import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** The process of the agent. */
export interface AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with a sentence that describes how it ended. */
  readonly ended: Promise<string>;
  /** Closes stdin and kills the process after the timeout. */
  stop(timeoutMs: number): Promise<void>;
}

const KILL_AFTER_MS = 500;

export function startAgent(command: readonly string[], cwd: string): AgentProcess {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`The agent ${program} could not be started: ${error.message}.`));
    // `close` instead of `exit`, because the pipe may still contain output.
    child.once("close", (code, signal) =>
      resolve(`The agent ${program} ended with ${signal ?? `code ${code ?? "none"}`}.`),
    );
  });
  const hasEndedWithin = (ms: number) =>
    Promise.race([ended.then(() => true), new Promise<false>((resolve) => setTimeout(resolve, ms, false).unref())]);
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    stop: async (timeoutMs) => {
      child.stdin.end();
      if (await hasEndedWithin(timeoutMs)) return;
      child.kill("SIGTERM");
      if (await hasEndedWithin(KILL_AFTER_MS)) return;
      child.kill("SIGKILL");
      // Do not wait longer: a grandchild may keep the pipe open.
      await hasEndedWithin(KILL_AFTER_MS);
    },
  };
}
