import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findHome, homePaths } from "../config/files/paths.ts";
import { programVersion } from "../config/files/program-version.ts";
import { ConfigError, UserError } from "../core/text/errors.ts";
import { explainFileError } from "../core/text/explain-file-error.ts";
import { newEvent, type EventType } from "../core/task/event.ts";
import { startDispatch, type Dispatch } from "../engine/dispatch.ts";
import { controlJobs } from "../engine/run/run-jobs.ts";
import type { HttpServer } from "../http/listen.ts";
import type { Log } from "../ports/log.ts";
import { removeDaemonFile, repairDaemonFile, writeDaemonFile, type DaemonFile } from "./daemon-file.ts";
import { startReportFiles } from "./wire/wire-reports.ts";
import { openServer } from "./open-server.ts";
import { policyOf } from "../engine/pipeline-of.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { createHttpDeps } from "./wire/http-deps.ts";
import { createKnownSecrets } from "./known-secrets.ts";
import { createLogger } from "./logger.ts";
import { wire, type Wired } from "./wire/wire.ts";
import { ping } from "./wire/wire-notifiers.ts";
import { CHECKPOINTS, type Checkpoint, type PassCheckpoint } from "../ports/checkpoint.ts";

const LIMITS_INTERVAL_MS = 2_000;
const REPAIR_INTERVAL_MS = 2_000;
const STOP_TIMEOUT_MS = 5_000;

interface Running {
  readonly wired: Wired;
  readonly dispatch: Dispatch;
  readonly server: HttpServer;
  readonly daemonFile: string;
}

/** Starts the daemon, writes `daemon.json`, and runs until it is asked to stop. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { foreground: { type: "boolean", default: false }, port: { type: "string" } },
  });
  // If root starts the daemon, runs have users of their own, which must be able to read files in the home. A strict umask
  // would prevent that. The home folder itself is private.
  process.umask(0o022);
  const home = await findHome(process.env);
  const paths = homePaths(home);
  mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
  const secrets = createKnownSecrets(process.env);
  const log = createLogger({
    dir: paths.logs,
    redactor: secrets.current,
    echo: values.foreground ? (line) => void process.stderr.write(line) : null,
  });
  const wired = await wire({
    home,
    env: process.env,
    log,
    secrets,
    pass: createCheckpoints(process.env["NIGHTSHIFT_CRASH_AT"], () => process.kill(process.pid, "SIGKILL")),
    write: (line) => void process.stdout.write(line),
  });
  // Of a daemon that was killed. This daemon gets the same port, so commands would use the old token.
  rmSync(paths.daemon, { force: true });
  warnAboutSandbox(wired);
  const stopping = Promise.withResolvers<{ force: boolean }>();
  const token = randomBytes(32).toString("base64url");
  secrets.add({ name: "NIGHTSHIFT_TOKEN", value: token });
  let dispatch: Dispatch | null = null;
  let portProblem: string | null = null;
  const deps = createHttpDeps(wired, {
    ownerToken: token,
    version: version(),
    startedAt: wired.ports.clock.now(),
    stop: (force) => stopping.resolve({ force }),
    // Calls before the dispatch starts can be ignored: it first polls all change requests.
    pollForge: (project) => dispatch?.pollForge(project),
    findProblem: () => dispatch?.problem() ?? null,
    listOutages: () => dispatch?.outages() ?? [],
    findPortProblem: () => portProblem,
  });
  const { server, problem } = await openServer(deps, {
    config: wired.user.server,
    port: values.port === undefined ? null : Number(values.port),
    portFile: paths.port,
  });
  portProblem = problem;
  if (problem !== null) log.warn(problem);
  await wired.limits.refresh();
  for (const each of secrets.problems()) log.warn(each);
  const limitsTimer = setInterval(() => void refreshLimits(wired), LIMITS_INTERVAL_MS);
  dispatch = await startDispatch(wired.ports);
  const reports = startReportFiles({ deps, secrets: wired.ports.secrets, dir: paths.reports, log });
  const stopHeartbeat = startHeartbeat({
    urls: wired.channels.listHeartbeatUrls,
    ping,
    store: wired.ports.store,
    isNight: async (task) => (await policyOf(wired.ports, task)).report === "night",
    log,
  });
  await record(wired, "daemon.started");
  const path = process.env["PATH"] ?? "";
  const address = { pid: process.pid, url: server.url, token, version: version(), path };
  writeDaemonFile(paths.daemon, address);
  const repairTimer = setInterval(() => repairAddress(paths.daemon, address, log), REPAIR_INTERVAL_MS);
  log.info("started", { pid: process.pid, url: server.url });
  // Node does this only on exit, which a crash skips.
  flushCompileCache();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopping.resolve({ force: false }));
  // Keep running when the terminal is closed.
  process.on("SIGHUP", () => undefined);
  const { force } = await stopping.promise;
  clearInterval(limitsTimer);
  clearInterval(repairTimer);
  stopHeartbeat();
  await reports.stop();
  await stop({ wired, dispatch, server, daemonFile: paths.daemon }, force);
}

/** Runs continue under their supervisors, and the next daemon picks them up. With `force`, they are stopped. */
async function stop({ wired, dispatch, server, daemonFile }: Running, force: boolean): Promise<void> {
  const { ports } = wired;
  // A step in progress can take long, such as fetching a large repository. It is crash-safe, so it can be abandoned.
  await Promise.race([dispatch.stop(), sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  if (force) for (const run of await ports.store.tasks.listOpenRuns()) await controlJobs(ports, run.id, "release");
  // A full disk or a locked database must not keep the daemon from stopping.
  await record(wired, "daemon.stopped").catch((error: unknown) =>
    ports.log.warn("the stop was not recorded as an event", { error: String(error) }),
  );
  await server.close();
  await ports.store.close();
  removeDaemonFile(daemonFile, process.pid);
  ports.log.info("stopped", { force });
}

function repairAddress(file: string, address: DaemonFile, log: Log): void {
  try {
    repairDaemonFile(file, address);
  } catch (error) {
    log.warn("daemon.json could not be repaired", { error: String(error) });
  }
}

async function refreshLimits({ limits, ports }: Wired): Promise<void> {
  await limits
    .refresh()
    .catch((error: unknown) => ports.log.error("the limits could not be refreshed", { error: String(error) }));
}

async function record({ ports }: Wired, type: Extract<EventType, "daemon.started" | "daemon.stopped">): Promise<void> {
  const summary = `daemon ${type === "daemon.started" ? "started" : "stopped"} (pid ${process.pid})`;
  await ports.store.events.appendEvents([
    newEvent({ at: ports.clock.now(), type, summary, data: { pid: process.pid } }),
  ]);
}

function warnAboutSandbox({ user, ports, sandbox }: Wired): void {
  // Test it now, so that problems are known early and the first run does not have to wait.
  if (user.sandboxMode === "enforce") return void logSandboxProblem(sandbox, ports.log);
  ports.log.warn(`sandbox.mode is ${user.sandboxMode}: Nightshift does not sandbox agents and checks`);
}

async function logSandboxProblem(sandbox: Wired["sandbox"], log: Log): Promise<void> {
  const problem = await sandbox.findProblem();
  if (problem !== null) log.error("the sandbox self-test failed: no run can start", { problem });
}

function version(): string {
  // package.json is two folders up, both in a checkout and in the installed package.
  return programVersion(fileURLToPath(new URL("../../", import.meta.url)));
}

// A closed terminal, or a full disk under start.log, must not stop the daemon.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

try {
  await main();
} catch (thrown) {
  const error = explainFileError(thrown) ?? thrown;
  const expected = error instanceof UserError || error instanceof ConfigError;
  const hint = error instanceof UserError && error.hint !== null ? `\n→ ${error.hint}` : "";
  process.stderr.write(`${expected ? error.message + hint : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
// Timers and sockets left by a failed start must not keep the process alive.
process.exit();

/**
 * For crash tests: `NIGHTSHIFT_CRASH_AT=work.collected:3` kills this process the third time it passes that checkpoint.
 * Without the variable, checkpoints do nothing.
 */
export function createCheckpoints(crashAt: string | undefined, crash: () => void): PassCheckpoint {
  if (crashAt === undefined || crashAt === "") return () => undefined;
  const [checkpoint, times = "1"] = crashAt.split(":");
  if (!CHECKPOINTS.some((known) => known === checkpoint))
    throw new Error(`NIGHTSHIFT_CRASH_AT is not a known checkpoint: ${crashAt}`);
  let remaining = Number(times);
  return (passed: Checkpoint) => {
    if (passed !== checkpoint) return;
    remaining -= 1;
    if (remaining === 0) crash();
  };
}
