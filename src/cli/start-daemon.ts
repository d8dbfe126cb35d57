import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findHome, homePaths } from "../config/files/paths.ts";
import { findDaemon, type DaemonAddress } from "./find-daemon.ts";
import type { CliContext } from "./context.ts";
import { DaemonStartError } from "./exit.ts";

const PATIENCE_MS = 20_000;
const GLANCE_MS = 25;

/** The daemon as a process of its own, which goes on when this command and its terminal are gone. */
export async function startDaemon(context: CliContext, args: readonly string[] = []): Promise<DaemonAddress> {
  const home = await findHome(context.env);
  const logs = homePaths(home).logs;
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const startLog = join(logs, "start.log");
  // A new file each time: a daemon that still runs goes on writing to the one it was started with.
  rmSync(startLog, { force: true });
  const log = openSync(startLog, "a", 0o600);
  const child = spawn(process.execPath, [...daemonArgs(), ...args], {
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...ONE_HEAP, ...context.env, ...compileCache(), NIGHTSHIFT_HOME: home },
    cwd: home,
  });
  closeSync(log);
  child.unref();
  return waitForDaemon(context, child, startLog);
}

/** In this terminal, until it is stopped. */
export async function runDaemon(context: CliContext, args: readonly string[]): Promise<number> {
  const home = await findHome(context.env);
  const child = spawn(process.execPath, [...daemonArgs(), "--foreground", ...args], {
    stdio: "inherit",
    env: { ...ONE_HEAP, ...context.env, NIGHTSHIFT_HOME: home },
  });
  // The terminal sends Ctrl-C to both; the daemon decides when it is done.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

/** The daemon loads much more than a command does, and finds it compiled where this one keeps it. */
function compileCache(): Record<string, string> {
  const dir = getCompileCacheDir();
  // Node adds a folder for its version by itself.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) };
}

/** For glibc, which otherwise gives each of Node's threads a heap of its own: 3 MB less. Nothing that a run gets has it. */
const ONE_HEAP = { MALLOC_ARENA_MAX: "1" };

function daemonArgs(): readonly string[] {
  const source = import.meta.url.endsWith(".ts") ? "../daemon/main.ts" : "../daemon/main.js";
  // After two dozen tasks V8 otherwise holds 30 MB more for short-lived objects, in a program that mostly waits. And 4 MB
  // more for code that is to run fast.
  return [
    "--max-semi-space-size=1",
    "--optimize-for-size",
    "--disable-warning=ExperimentalWarning",
    fileURLToPath(new URL(source, import.meta.url)),
  ];
}

async function waitForDaemon(context: CliContext, child: ChildProcess, startLog: string): Promise<DaemonAddress> {
  let failure = "";
  child.once("error", (error) => (failure = error.message));
  for (const start = performance.now(); performance.now() - start < PATIENCE_MS;) {
    const address = await findDaemon(context);
    if (address !== null) return address;
    if (failure !== "" || child.exitCode !== null || child.signalCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, GLANCE_MS));
  }
  // Another command may have started one in the same moment: then that one serves both.
  const other = await findDaemon(context);
  if (other !== null) return other;
  const said = `${readFileSync(startLog, "utf8")}${failure}`.trim();
  throw new DaemonStartError(said === "" ? "The daemon did not start in time." : said, {
    hint: `nightshift doctor looks for what is wrong; the log is ${startLog}`,
    // The daemon ends with 2 where a file that a person wrote is wrong.
    code: child.exitCode === 2 ? 2 : 4,
  });
}
