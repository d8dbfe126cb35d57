import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAgent } from "../../adapters/agents/index.ts";
import { parseOwnLine } from "../../adapters/agents/shared/own-events.ts";
import { createSystemClock } from "../../adapters/clock/system.ts";
import { createCron } from "../../adapters/cron/croner.ts";
import { createLocalCourier } from "../../adapters/couriers/local.ts";
import { createGitWorkspaces } from "../../adapters/git/workspaces.ts";
import { createSupervisors } from "../../adapters/process/supervisors.ts";
import { reportServerFor } from "../../adapters/process/find-report-server.ts";
import { createRunFiles } from "../../adapters/run-files/run-files.ts";
import { createSecretScan } from "../../adapters/secret-scan/scan.ts";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { homePaths } from "../../config/files/paths.ts";
import { readPrices } from "../../config/resolve/prices.ts";
import { createProjectFiles } from "../../config/files/project-files.ts";
import { readUserConfig, type UserConfig } from "../../config/files/user-config.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import type { PassCheckpoint } from "../../ports/checkpoint.ts";
import type { Log } from "../../ports/log.ts";
import { findPlace } from "../find-place.ts";
import { withRecordedPath } from "../host-environment.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import { createLimits, type LimitsKeeper } from "../limits.ts";
import { DISK_FLOOR_BYTES, sandboxLimits } from "../sandbox-limits.ts";
import { findForge } from "./wire-forges.ts";
import { createVersionCheck } from "./wire-agents.ts";
import { createChannels, type Channels } from "./wire-notifiers.ts";
import { createSandboxGate, type SandboxGate } from "./wire-sandbox.ts";
import { userName } from "../user-name.ts";
import { createOutputSignals, type OutputSignals } from "../output-signals.ts";

export interface WireOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly secrets: KnownSecrets;
  readonly pass: PassCheckpoint;
  /** Where notices for the terminal go. */
  readonly write: (line: string) => void;
}

export interface Wired {
  readonly ports: EnginePorts;
  readonly user: UserConfig;
  readonly limits: LimitsKeeper;
  readonly channels: Channels;
  readonly output: OutputSignals;
  readonly projectFiles: ReturnType<typeof createProjectFiles>;
  readonly sandbox: SandboxGate;
}

/** The only place, besides the supervisor, where adapters are built. */
export async function wire({ home, env: own, log, secrets, pass, write }: WireOptions): Promise<Wired> {
  const env = withRecordedPath(own, home);
  const paths = homePaths(home);
  const user = await readUserConfig(home);
  secrets.learnUser(user);
  const store = await openSqliteStore({ file: paths.db, log });
  const builtinDir = fileURLToPath(new URL("../../builtin/", import.meta.url));
  const channels = createChannels({
    env,
    store,
    write,
    runLog: join(paths.logs, "nights.jsonl"),
    heartbeat: user.notify.heartbeat?.url ?? null,
  });
  const projectFiles = channels.learnFrom(secrets.learnFrom(createProjectFiles({ configDir: home, builtinDir })));
  const prices = await readPrices(builtinDir, user.prices);
  const runFiles = createRunFiles({ home });
  const clock = createSystemClock();
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
    courier: createLocalCourier({
      onError: (run, error) =>
        log.error("a run was let go of", { run, error: error instanceof Error ? error.stack : String(error) }),
    }),
    workspaces: createGitWorkspaces({ mirrorsDir: paths.mirrors, workspacesDir: paths.workspaces, log }),
    supervisors: createSupervisors({ home, log, compileCache: env["NODE_COMPILE_CACHE"] }),
    runFiles,
    secretScan: createSecretScan({ secrets: secrets.values, path: env["PATH"] ?? "", log }),
    projects: projectFiles,
    detectProject: (source) => findPlace(source, env),
    createAgent,
    checkVersion: createVersionCheck(env),
    findReportServer: reportServerFor,
    parseOwnLine,
    prices,
    channelsFor: channels.channelsFor,
    notifierFor: channels.notifierFor,
    clock,
    cron: createCron(),
    forgeFor: findForge(env),
    log,
    digest: (text) => createHash("sha256").update(text).digest("hex"),
    redact: (value) => secrets.current().redactValue(value),
    knownSecrets: secrets.values,
    pass,
    limits: limits.current,
    home,
    owner: userName(env),
    sandboxMode: user.sandboxMode,
    sandboxLimits: sandboxLimits(),
    sandboxProblem: sandbox.problem,
    hostEnv: env,
    onOutput: output.grew,
  };
  return { ports, user, limits, channels, output, projectFiles, sandbox };
}
