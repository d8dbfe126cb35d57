import { spawn } from "node:child_process";

export interface LoginProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs: number;
}

/** What the program printed. `failed`: it is missing, exited with an error, or printed too much. */
export type LoginAnswer =
  | { readonly kind: "printed"; readonly text: string }
  | { readonly kind: "failed" }
  | { readonly kind: "timeout" };

const MAX_OUTPUT_LENGTH = 16_384;

/**
 * Runs a program that prints a login. It has no terminal, so it cannot prompt, and its error output is discarded, because it could
 * contain the secret. It runs in `/`, so that no repository configures it. After the timeout, its process group is killed.
 */
export function runLoginProgram({ program, args, env, input, timeoutMs }: LoginProgram): Promise<LoginAnswer> {
  return new Promise((done) => {
    const child = spawn(program, [...args], { cwd: "/", env, stdio: ["pipe", "pipe", "ignore"], detached: true });
    let text = "";
    const finish = (answer: LoginAnswer): void => {
      clearTimeout(timer);
      if (answer.kind !== "printed" && child.pid !== undefined) killGroup(child.pid);
      // A process that escaped from the group may keep the pipe open.
      child.stdout.destroy();
      done(answer);
    };
    const timer = setTimeout(() => finish({ kind: "timeout" }), timeoutMs);
    child.once("error", () => finish({ kind: "failed" }));
    child.once("close", (code) => finish(code === 0 ? { kind: "printed", text } : { kind: "failed" }));
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.length > MAX_OUTPUT_LENGTH) finish({ kind: "failed" });
    });
    // The program may exit without reading its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
