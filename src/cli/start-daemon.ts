import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findHome, homePaths } from "../config/paths.ts";
import { UserError } from "../core/errors.ts";
import { findDaemon, type DaemonAddress } from "./connect.ts";
import type { CliContext } from "./context.ts";
import { Exit } from "./exit.ts";

const PATIENCE_MS = 20_000;
const GLANCE_MS = 25;

/** The daemon as a process of its own, which goes on when this command and its terminal are gone. */
export async function startDaemon(context: CliContext, args: readonly string[] = []): Promise<DaemonAddress> {
  const home = await findHome(context.env);
  const logs = homePaths(home).logs;
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const startLog = join(logs, "start.log");
  const child = spawn(process.execPath, [...daemonArgs(), ...args], {
    detached: true,
    stdio: ["ignore", openSync(startLog, "w", 0o600), openSync(startLog, "a", 0o600)],
    env: { ...context.env, NIGHTSHIFT_HOME: home },
    cwd: home,
  });
  child.unref();
  const ended = once(child, "exit");
  return waitForDaemon(context, ended, startLog);
}

/** In this terminal, until it is stopped. */
export async function runDaemon(context: CliContext, args: readonly string[]): Promise<number> {
  const home = await findHome(context.env);
  const child = spawn(process.execPath, [...daemonArgs(), "--foreground", ...args], {
    stdio: "inherit",
    env: { ...context.env, NIGHTSHIFT_HOME: home },
  });
  // The terminal sends Ctrl-C to both; the daemon decides when it is done.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

function daemonArgs(): readonly string[] {
  const source = import.meta.url.endsWith(".ts") ? "../daemon/main.ts" : "../daemon/main.js";
  return ["--disable-warning=ExperimentalWarning", fileURLToPath(new URL(source, import.meta.url))];
}

async function waitForDaemon(context: CliContext, ended: Promise<unknown[]>, startLog: string): Promise<DaemonAddress> {
  let exited = false;
  ended.then(
    () => (exited = true),
    () => (exited = true),
  );
  for (const start = performance.now(); performance.now() - start < PATIENCE_MS; ) {
    const address = await findDaemon(context);
    if (address !== null) return address;
    if (exited) break;
    await new Promise((resolve) => setTimeout(resolve, GLANCE_MS));
  }
  const said = readFileSync(startLog, "utf8").trim();
  // Another command may have started one in the same moment: then that one serves both.
  const other = await findDaemon(context);
  if (other !== null) return other;
  process.stderr.write(`${new UserError("unavailable", said === "" ? "the daemon did not start in time" : said).message}\n→ nightshift doctor looks for what is wrong; the log is ${startLog}\n`);
  throw new Exit(4);
}
