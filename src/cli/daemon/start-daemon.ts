import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findHome, homePaths } from "../../config/files/paths.ts";
import { findDaemon, type DaemonAddress } from "./find-daemon.ts";
import type { CliContext } from "../context.ts";
import { DaemonStartError } from "../exit.ts";

const TIMEOUT_MS = 20_000;
const POLL_MS = 25;

/** Starts the daemon as a detached process that outlives this command and its terminal. */
export async function startDaemon(context: CliContext, args: readonly string[] = []): Promise<DaemonAddress> {
  const home = await findHome(context.env);
  const logs = homePaths(home).logs;
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const startLog = join(logs, "start.log");
  // Create a new file, because a daemon that is still running keeps writing to its own.
  rmSync(startLog, { force: true });
  const log = openSync(startLog, "a", 0o600);
  const [program, ...own] = daemonCommand();
  const child = spawn(program, [...own, ...args], {
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...SINGLE_MALLOC_ARENA, ...context.env, ...compileCache(), ...ownVariables(home) },
    cwd: home,
  });
  closeSync(log);
  child.unref();
  return waitForDaemon(context, child, startLog);
}

/** Runs the daemon in this terminal until it is stopped. Returns its exit code. */
export async function runDaemon(context: CliContext, args: readonly string[]): Promise<number> {
  const home = await findHome(context.env);
  const [program, ...own] = daemonCommand();
  const child = spawn(program, [...own, "--foreground", ...args], {
    stdio: "inherit",
    env: { ...SINGLE_MALLOC_ARENA, ...context.env, ...ownVariables(home) },
  });
  // The terminal sends Ctrl-C to both processes. Ignore it here and wait for the daemon to exit.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

/** The daemon does not get the token of the person who runs this command. */
function ownVariables(home: string): Record<string, string | undefined> {
  return { NIGHTSHIFT_HOME: home, NIGHTSHIFT_TOKEN: undefined };
}

/** Shares this command's compile cache with the daemon, which loads far more modules. */
function compileCache(): Record<string, string> {
  const dir = getCompileCacheDir();
  // The directory ends with a folder for the Node version, which Node appends itself.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) };
}

/** By default, glibc gives each of Node's threads its own heap. One shared heap saves 3 MB. Runs do not inherit this. */
const SINGLE_MALLOC_ARENA = { MALLOC_ARENA_MAX: "1" };

/** The program that runs the daemon, and its first arguments. */
export function daemonCommand(): readonly [string, ...string[]] {
  const source = import.meta.url.endsWith(".ts") ? "../../daemon/main.ts" : "../../daemon/main.js";
  // Measured after about 24 tasks: the small semi-space saves 30 MB for short-lived objects, and optimizing for size
  // saves 4 MB of code. The daemon mostly waits, so the speed does not matter.
  return [
    process.execPath,
    "--max-semi-space-size=1",
    "--optimize-for-size",
    "--disable-warning=ExperimentalWarning",
    fileURLToPath(new URL(source, import.meta.url)),
  ];
}

async function waitForDaemon(context: CliContext, child: ChildProcess, startLog: string): Promise<DaemonAddress> {
  let failure = "";
  child.once("error", (error) => (failure = error.message));
  for (const start = performance.now(); performance.now() - start < TIMEOUT_MS;) {
    const address = await findDaemon(context);
    if (address !== null) return address;
    if (failure !== "" || child.exitCode !== null || child.signalCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  // Another command may have started a daemon at the same time. Use that one.
  const other = await findDaemon(context);
  if (other !== null) return other;
  const output = `${readFileSync(startLog, "utf8")}${failure}`.trim();
  if (output === "") requireSpace(startLog);
  throw new DaemonStartError(output === "" ? describeSilence(child) : output, {
    hint: `Run "nightshift doctor" to find the cause. The log is ${startLog}`,
    // The daemon exits with 2 if a configuration file is invalid.
    code: child.exitCode === 2 ? 2 : 4,
  });
}

function describeSilence({ exitCode, signalCode }: ChildProcess): string {
  if (exitCode === null && signalCode === null) return "The daemon did not start in time.";
  return `The daemon ended without a message (${signalCode ?? `exit code ${exitCode}`}).`;
}

/** On a full disk the daemon cannot write its message. Throws the error of the system, which says so. */
function requireSpace(startLog: string): void {
  const probe = `${startLog}.probe`;
  try {
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES));
  } finally {
    rmSync(probe, { force: true });
  }
}

const PROBE_BYTES = 100_000;
