import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTempRepo, type TempRepo } from "../../src/testing/temp-repo.ts";

export const BIN = join(import.meta.dirname, "../../bin/nightshift");

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A user at a shell with their own home and repository. */
export interface User {
  readonly repo: TempRepo;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** The file that slow agents wait for. */
  readonly go: string;
  run(...args: readonly string[]): Promise<CliResult>;
  runIn(cwd: string, ...args: readonly string[]): Promise<CliResult>;
  /** Runs with --json, expects exit 0 and parses all of stdout. */
  json<T = Readonly<Record<string, unknown>>>(...args: readonly string[]): Promise<T>;
  start(...args: readonly string[]): ChildProcess;
  /** Stops the daemon with everything it started, and removes all files. */
  cleanUp(): Promise<void>;
}

/** A user-written agent program. The description of the task controls it. */
const agentProgram = (go: string): string => `#!/bin/sh
prompt=$(cat)
echo "reading the task"
case "$prompt" in *SLOWLY*) while [ ! -e "${go}" ]; do sleep 0.1; done ;; esac
echo hello > hello.txt
printf '{"outcome":"implemented","summary":"wrote hello.txt"}' > "$NIGHTSHIFT_OUTCOME_FILE"
`;

/** `more`: further variables of the user's environment, which the daemon gets as well. */
export async function createUser(more: Readonly<Record<string, string>> = {}): Promise<User> {
  const repo = await createTempRepo({ "README.md": "# Shop\n", Makefile: "test:\n\ttrue\n" });
  const home = join(repo.path, "home");
  const go = join(repo.path, "go");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), "sandbox: { mode: none }\nlimits: { concurrent_runs: 4 }\n");
  const program = join(repo.path, "agent.sh");
  await writeFile(program, agentProgram(go));
  await chmod(program, 0o755);
  const env = { PATH: process.env["PATH"] ?? "", HOME: repo.path, NIGHTSHIFT_HOME: home, LANG: "C.UTF-8", ...more };
  const runIn = (cwd: string, ...args: readonly string[]): Promise<CliResult> => call({ cwd, env, args });
  return {
    repo,
    home,
    env,
    go,
    runIn,
    run: (...args) => runIn(repo.checkout, ...args),
    async json<T>(...args: readonly string[]) {
      const result = await runIn(repo.checkout, ...args, "--json");
      if (result.code !== 0)
        throw new Error(`nightshift ${args.join(" ")} ended with ${result.code}: ${result.stdout}${result.stderr}`);
      return JSON.parse(result.stdout) as T;
    },
    start: (...args) =>
      spawn(process.execPath, [BIN, ...args], { cwd: repo.checkout, env, stdio: ["ignore", "pipe", "pipe"] }),
    async cleanUp() {
      await runIn(repo.path, "stop", "--force");
      await rm(go, { force: true });
      await repo.remove();
    },
  };
}

export const PROJECT_FILE = (path: string): string => `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${path}/agent.sh"] }
  asker: { kind: scripted, script: asks }
checks:
  content: { command: "test -s README.md" }
`;

function call({
  cwd,
  env,
  args,
}: {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}): Promise<CliResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [BIN, ...args],
      { cwd, env, timeout: 120_000, maxBuffer: 50_000_000 },
      (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

export async function waitForExit(child: ChildProcess): Promise<CliResult> {
  const text = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (text.stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text.stderr += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...text };
}

export async function pollUntil<T>(
  look: () => Promise<T>,
  holds: (value: T) => boolean,
  timeoutMs = 20_000,
): Promise<T> {
  for (const start = performance.now(); ;) {
    const value = await look();
    if (holds(value)) return value;
    if (performance.now() - start > timeoutMs)
      throw new Error(`waited in vain; last seen: ${JSON.stringify(value).slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
