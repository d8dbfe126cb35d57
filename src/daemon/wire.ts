import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { createAgent } from "../adapters/agents/index.ts";
import { createSystemClock } from "../adapters/clock/system.ts";
import { createLocalCourier } from "../adapters/couriers/local.ts";
import { createGitWorkspaces } from "../adapters/git/workspaces.ts";
import { createTerminalNotifier } from "../adapters/notifiers/terminal.ts";
import { createSupervisors } from "../adapters/process/supervisors.ts";
import { createRunFiles } from "../adapters/run-files/run-files.ts";
import { openSqliteStore } from "../adapters/stores/sqlite/open.ts";
import { homePaths } from "../config/paths.ts";
import { createProjectFiles } from "../config/project-files.ts";
import { readUserConfig, type UserConfig } from "../config/user-config.ts";
import type { EnginePorts } from "../engine/ports.ts";
import type { PassCheckpoint } from "../ports/checkpoint.ts";
import type { Log } from "../ports/log.ts";
import { createLimits, type LimitsKeeper } from "./limits.ts";
import { createOutputSignals, type OutputSignals } from "./output-signals.ts";

const DISK_FLOOR_BYTES = 200_000_000;

export interface WireOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly pass: PassCheckpoint;
  /** Where notices for the terminal go. */
  readonly write: (line: string) => void;
}

export interface Wired {
  readonly ports: EnginePorts;
  readonly user: UserConfig;
  readonly limits: LimitsKeeper;
  readonly output: OutputSignals;
  readonly projectFiles: ReturnType<typeof createProjectFiles>;
}

/** The only place, besides the supervisor, where adapters are built. */
export async function wire({ home, env, log, pass, write }: WireOptions): Promise<Wired> {
  const paths = homePaths(home);
  const user = await readUserConfig(home);
  const store = await openSqliteStore({ file: paths.db, log });
  const projectFiles = createProjectFiles({
    configDir: home,
    builtinDir: fileURLToPath(new URL("../builtin/", import.meta.url)),
  });
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
  const ports: EnginePorts = {
    store,
    courier: createLocalCourier({
      onError: (run, error) =>
        log.error("a run was let go of", { run, error: error instanceof Error ? error.stack : String(error) }),
    }),
    workspaces: createGitWorkspaces({ mirrorsDir: paths.mirrors, workspacesDir: paths.workspaces, log }),
    supervisors: createSupervisors({ home, log, compileCache: env["NODE_COMPILE_CACHE"] }),
    runFiles,
    projects: projectFiles,
    createAgent,
    notifiers: [createTerminalNotifier(write)],
    clock,
    log,
    digest: (text) => createHash("sha256").update(text).digest("hex"),
    pass,
    limits: limits.current,
    hostEnv: env,
    onOutput: output.grew,
  };
  return { ports, user, limits, output, projectFiles };
}
