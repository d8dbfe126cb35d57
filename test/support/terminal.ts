import { spawn, spawnSync } from "node:child_process";
import { BIN, pollUntil, type User } from "./cli-user.ts";

/** `script` of util-linux gives a command a terminal. The one of macOS has other options. */
export const hasScript = spawnSync("script", ["--version"]).status === 0;
export const COLUMNS = 60;

export interface TerminalRun {
  /** Waits until the command has printed this, and then types. */
  type(after: string | RegExp, keys: string, options?: { readonly timeoutMs: number }): Promise<void>;
  /** Closes the input before the command has started. */
  closeInput(): void;
  /** Everything that the command printed, and its exit code. */
  end(): Promise<{ readonly output: string; readonly code: number | null }>;
}

/** Runs a command on a terminal with its own window. `more`: further variables of its environment. */
export function runOnTerminal(
  user: User,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): TerminalRun {
  const words = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qfec", `stty cols ${COLUMNS} rows 24; exec ${words}`, "/dev/null"], {
    cwd: user.repo.checkout,
    env: { ...user.env, TERM: "xterm", SHELL: "/bin/sh", ...more },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    async type(after, keys, { timeoutMs } = { timeoutMs: 20_000 }) {
      await pollUntil(
        async () => output,
        (text) => (typeof after === "string" ? text.includes(after) : after.test(text)),
        timeoutMs,
      );
      child.stdin.write(keys);
    },
    closeInput: () => void child.stdin.end(),
    async end() {
      return { code: await closed, output };
    },
  };
}
