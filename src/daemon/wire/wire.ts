import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAgent } from "../../adapters/agents/create-agent.ts";
import { parseEventLine } from "../../adapters/agents/shared/event-lines.ts";
import { createSystemClock } from "../../adapters/clock/system.ts";
import { createCheckouts } from "../../adapters/checkouts/checkouts.ts";
import { createCron } from "../../adapters/cron/croner.ts";
import { createLocalCourier } from "../../adapters/couriers/local.ts";
import { createGitWorkspaces } from "../../adapters/git/workspaces.ts";
import { createSupervisors } from "../../adapters/process/supervisors.ts";
import { reportServerFor } from "../../adapters/process/find-report-server.ts";
import { createFileRecord } from "../../adapters/file-record/file-record.ts";
import { createRunFiles } from "../../adapters/run-files/run-files.ts";
import { createSecretScan } from "../../adapters/secret-scan/scan.ts";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { homePaths } from "../../config/files/paths.ts";
import { readPrices } from "../../config/resolve/resolve-settings.ts";
import { storedKeysChangedAt, storedKeysVersion } from "../../config/files/stored-keys.ts";
import { createProjectFiles, type SettingsListener } from "../../config/files/project-files.ts";
import { readUserConfig, type UserConfig } from "../../config/files/user-config.ts";
import { listSecretNames } from "../../core/settings/settings.ts";
import type { EnginePorts, Host } from "../../engine/ports.ts";
import type { PassCheckpoint } from "../../ports/checkpoint.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { locateProject } from "../locate-project.ts";
import { createHostEnvironment } from "../host-environment.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import { requireFilledDatabase } from "../require-filled-database.ts";
import { createRetention } from "../retention.ts";
import { createLimits, type LimitsKeeper } from "../limits.ts";
import { createSandboxAccess, DISK_FLOOR_BYTES, createSandboxGate, type SandboxGate } from "./wire-sandbox.ts";
import { REGISTRY, type Registry } from "./registry.ts";
import { createUserReader } from "./reread-user.ts";
import { wireMcp } from "./wire-mcp.ts";
import { wireForges } from "./wire-forges.ts";
import { createVersionCheck } from "./wire-agents.ts";
import { createChannels, type Channels } from "./wire-notifiers.ts";
import { passwordsIn } from "../../policy/secrets/secret-names.ts";
import { userInfo } from "node:os";

export interface WireOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly secrets: KnownSecrets;
  readonly pass: PassCheckpoint;
  /** Prints notices on the terminal. */
  readonly write: (line: string) => void;
  /** Default: the built-in registry. */
  readonly registry?: Registry;
}

export interface Wired {
  readonly registry: Registry;
  readonly ports: EnginePorts;
  readonly user: UserConfig;
  readonly limits: LimitsKeeper;
  readonly channels: Channels;
  readonly output: OutputSignals;
  readonly projectFiles: ReturnType<typeof createProjectFiles>;
  readonly sandbox: SandboxGate;
  readonly addSecret: KnownSecrets["add"];
}

const BUILTIN_DIR = fileURLToPath(new URL("../../builtin/", import.meta.url));

/** Creates all adapters. No other code does, except the supervisor. */
export async function wire(options: WireOptions): Promise<Wired> {
  const { home, env: own, log, secrets, pass, write, registry = REGISTRY } = options;
  const env = createHostEnvironment({ env: own, home, secrets, log });
  const paths = homePaths(home);
  const user = await readUserConfig(home, registry.format);
  secrets.addVariables(
    listSecretNames(registry, { secrets: {}, mcp: {}, agents: {}, forge: null, notify: user.notify }),
  );
  requireFilledDatabase(paths);
  const store = await openSqliteStore({ file: paths.db, log });
  const projectFiles = createProjectFiles({ configDir: home, builtinDir: BUILTIN_DIR, format: registry.format });
  const channels = createChannels({
    notifiers: registry.notifiers,
    projects: projectFiles,
    env,
    store,
    write,
    runLog: join(paths.logs, "nights.jsonl"),
    readUser: createUserReader({ home, format: registry.format, user }),
    publicUrl: user.server.publicUrl,
    heartbeat: user.notify.heartbeat?.url ?? null,
  });
  projectFiles.onSettings(registerSettings({ registry, secrets, channels }));
  const prices = await readPrices(BUILTIN_DIR, user.prices);
  const runFiles = createRunFiles({ home });
  const clock = createHostClock(log);
  const limits = createLimits({
    total: user.concurrentRuns,
    diskFloorBytes: DISK_FLOOR_BYTES,
    store,
    projects: projectFiles,
    pendingTrust: (project) => projectFiles.pendingTrust(project, project.accepted),
    runFiles,
    clock,
    log,
  });
  const output = createOutputSignals();
  const sandbox = createSandboxGate({ mode: user.sandboxMode, home, env });
  const ports: EnginePorts = {
    store,
    courier: createCourier(log),
    workspaces: createGitWorkspaces({ mirrorsDir: paths.mirrors, workspacesDir: paths.workspaces, log }),
    checkouts: createCheckouts(),
    supervisors: createSupervisors({ home, log, compileCache: env["NODE_COMPILE_CACHE"] }),
    runFiles,
    fileRecord: createFileRecord(),
    projects: projectFiles,
    clock,
    cron: createCron(),
    log,
    agents: {
      create: (settings) => createAgent(registry.agents, settings),
      checkVersion: createVersionCheck(env),
      findReportServer: reportServerFor,
      parseGatewayLine: parseEventLine,
      prices,
    },
    mcp: wireMcp({ home, mode: user.sandboxMode, env }),
    sandbox: createSandboxAccess({ mode: user.sandboxMode, gate: sandbox, home }),
    secrets: createSecretAccess(secrets, { path: env["PATH"] ?? "", log }),
    channels: {
      namesFor: channels.channelsFor,
      readReport: channels.readReport,
      openNotifier: channels.notifierFor,
    },
    forges: wireForges({ forges: registry.forges, env, addSecret: secrets.add, projectFiles }),
    host: {
      home,
      env,
      ...watchStoredKeys(home, clock.now()),
      retention: createRetention(home, registry.format),
      owner: userName(env),
      capacity: limits.current,
      detectProject: (source) => locateProject(source, env, registry),
    },
    hooks: { passCheckpoint: pass, onOutput: output.grew },
    digest: (text) => createHash("sha256").update(text).digest("hex"),
  };
  return { registry, ports, user, limits, channels, output, projectFiles, sandbox, addSecret: secrets.add };
}

function createCourier(log: Log): EnginePorts["courier"] {
  return createLocalCourier({
    onError: (run, error) =>
      log.error("a run was dropped after an unexpected error", {
        run,
        error: error instanceof Error ? error.stack : String(error),
      }),
  });
}

function createSecretAccess(
  secrets: KnownSecrets,
  { path, log }: { readonly path: string; readonly log: Log },
): EnginePorts["secrets"] {
  return {
    redact: (value) => secrets.current().redactValue(value),
    known: secrets.values,
    scanner: createSecretScan({ secrets: secrets.values, path, log }),
  };
}

function watchStoredKeys(home: string, startedAt: number): Pick<Host, "keysVersion" | "keysChangedAt"> {
  return {
    keysVersion: () => storedKeysVersion(home),
    keysChangedAt: () => Math.max(startedAt, storedKeysChangedAt(home)),
  };
}

function createHostClock(log: Log): Clock {
  return createSystemClock(
    Date.now,
    () => performance.now(),
    (ms) => log.warn("the machine's clock was set back; Nightshift follows it", { seconds: Math.round(ms / 1_000) }),
  );
}

export interface SettingsConsumers {
  readonly registry: Registry;
  readonly secrets: Pick<KnownSecrets, "add" | "addVariables">;
  readonly channels: Pick<Channels, "update">;
}

/** Returns a listener that redacts the secrets named in new settings and updates the channels, before the settings are used. */
export function registerSettings({ registry, secrets, channels }: SettingsConsumers): SettingsListener {
  return (project, settings) => {
    channels.update(project, settings);
    for (const value of passwordsIn(project.remote ?? ""))
      secrets.add({ name: `password of ${project.name}'s remote`, value });
    if (settings !== null) secrets.addVariables(listSecretNames(registry, settings));
  };
}

/** The user who runs the daemon. A user ID without a name (common in containers) falls back to $USER, then to the ID. */
export function userName(
  env: Readonly<Record<string, string | undefined>>,
  lookUp: () => string = () => userInfo().username,
): string {
  try {
    return lookUp();
  } catch {
    const named = env["USER"] ?? "";
    return named === "" ? `uid ${process.getuid?.() ?? "unknown"}` : named;
  }
}

export interface OutputSignals {
  grew(run: string): void;
  /** Calls `wake` whenever the run's transcript grew. Returns a function that stops listening. */
  listen(run: string, wake: () => void): () => void;
}

/** Notifies live viewers of a run about new output. */
export function createOutputSignals(): OutputSignals {
  const listeners = new Map<string, Set<() => void>>();
  return {
    grew(run) {
      for (const wake of listeners.get(run) ?? []) wake();
    },
    listen(run, wake) {
      const own = listeners.get(run) ?? new Set();
      listeners.set(run, own.add(wake));
      return () => {
        own.delete(wake);
        if (own.size === 0) listeners.delete(run);
      };
    },
  };
}
