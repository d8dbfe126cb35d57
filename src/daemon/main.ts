import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { findHome, homePaths } from "../config/files/paths.ts";
import { ConfigError, UserError } from "../core/text/errors.ts";
import { SYSTEM, type EventType } from "../core/task/event.ts";
import { startDispatch, type Dispatch } from "../engine/dispatch.ts";
import { controlJobs } from "../engine/run/run-jobs.ts";
import { openHttpServer, type HttpServer } from "../http/listen.ts";
import type { Log } from "../ports/log.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { removeDaemonFile, writeDaemonFile } from "./daemon-file.ts";
import { policyOf } from "../engine/pipeline-of.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { httpDeps } from "./wire/http-deps.ts";
import { createKnownSecrets } from "./known-secrets.ts";
import { createLogger } from "./logger.ts";
import { wire, type Wired } from "./wire/wire.ts";
import { ping } from "./wire/wire-notifiers.ts";

const LIMITS_EVERY_MS = 2_000;
const STOP_PATIENCE_MS = 5_000;

interface Running {
  readonly wired: Wired;
  readonly dispatch: Dispatch;
  readonly server: HttpServer;
  readonly daemonFile: string;
}

/** Starts everything, tells where it is, and stays until it is told to stop. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { foreground: { type: "boolean", default: false }, port: { type: "string", default: "0" } },
  });
  // The home itself is closed to everybody else. What is in it must be readable by the users that root's runs have, and
  // they would find nothing under the mask of a careful root.
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
  warnAboutSandbox(wired);
  const stopping = Promise.withResolvers<{ force: boolean }>();
  const token = randomBytes(32).toString("base64url");
  secrets.hold({ name: "NIGHTSHIFT_TOKEN", value: token });
  let dispatch: Dispatch | null = null;
  const server = await openHttpServer(
    httpDeps(wired, {
      ownerToken: token,
      version: version(),
      startedAt: wired.ports.clock.now(),
      stop: (force) => stopping.resolve({ force }),
      // Before there is one, nothing is missed: it begins with a look at all of them.
      lookAgain: (project) => dispatch?.lookAgain(project),
    }),
    { host: "127.0.0.1", port: Number(values.port), publicUrl: null },
  );
  await wired.limits.refresh();
  for (const problem of secrets.problems()) log.warn(problem);
  const refreshing = setInterval(() => void refreshLimits(wired), LIMITS_EVERY_MS);
  dispatch = await startDispatch(wired.ports);
  const stopHeartbeat = startHeartbeat({
    urls: wired.channels.heartbeats,
    ping,
    store: wired.ports.store,
    isNight: async (task) => (await policyOf(wired.ports, task)).report === "night",
    log,
  });
  await record(wired, "daemon.started");
  const path = process.env["PATH"] ?? "";
  writeDaemonFile(paths.daemon, { pid: process.pid, url: server.url, token, version: version(), path });
  log.info("started", { pid: process.pid, url: server.url });
  // Node does this by itself, but only at the end, and a daemon's end may be a power cut.
  flushCompileCache();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopping.resolve({ force: false }));
  // A closed terminal is no reason to stop the night's work.
  process.on("SIGHUP", () => undefined);
  const { force } = await stopping.promise;
  clearInterval(refreshing);
  stopHeartbeat();
  await stop({ wired, dispatch, server, daemonFile: paths.daemon }, force);
}

/** Runs go on under their supervisors; a later daemon takes them up again. */
async function stop({ wired, dispatch, server, daemonFile }: Running, force: boolean): Promise<void> {
  const { ports } = wired;
  // What is under way may be a fetch of a large repository. It is safe to leave it: everything here survives a crash.
  await Promise.race([dispatch.stop(), sleep(STOP_PATIENCE_MS, undefined, { ref: false })]);
  if (force) for (const run of await ports.store.tasks.listOpenRuns()) await controlJobs(ports, run.id, "release");
  await record(wired, "daemon.stopped");
  await server.close();
  await ports.store.close();
  removeDaemonFile(daemonFile, process.pid);
  ports.log.info("stopped", { force });
}

async function refreshLimits({ limits, ports }: Wired): Promise<void> {
  await limits
    .refresh()
    .catch((error: unknown) => ports.log.error("the limits could not be read anew", { error: String(error) }));
}

async function record({ ports }: Wired, type: Extract<EventType, "daemon.started" | "daemon.stopped">): Promise<void> {
  const summary = `daemon ${type === "daemon.started" ? "started" : "stopped"} (pid ${process.pid})`;
  await ports.store.events.appendEvents([
    {
      at: ports.clock.now(),
      task: null,
      run: null,
      type,
      level: "info",
      actor: SYSTEM,
      summary,
      data: { pid: process.pid },
    },
  ]);
}

function warnAboutSandbox({ user, ports, sandbox }: Wired): void {
  // Tried now, so that the first run of the night does not wait for it, and its trouble is known before.
  if (user.sandboxMode === "enforce") return void tellTrouble(sandbox, ports.log);
  ports.log.warn(`sandbox.mode is ${user.sandboxMode}: Nightshift puts no wall around agents and checks`);
}

async function tellTrouble({ problem }: Wired["sandbox"], log: Log): Promise<void> {
  const trouble = await problem();
  if (trouble !== null) log.error("the sandbox does not hold: every run is refused", { trouble });
}

function version(): string {
  // package.json stands two folders above, in a checkout as in the installed package.
  return (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string })
    .version;
}

// A terminal that was closed, or a full disk under start.log, must not end the night's work.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

try {
  await main();
} catch (error) {
  const expected = error instanceof UserError || error instanceof ConfigError;
  const hint = error instanceof UserError && error.hint !== null ? `\n→ ${error.hint}` : "";
  process.stderr.write(`${expected ? error.message + hint : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 2 : 1;
}
// Timers and sockets of a start that failed half-way must not keep the process.
process.exit();
