import { UserError } from "../../core/text/errors.ts";
import { findHome } from "../../config/files/paths.ts";
import { withStoredKeys } from "../../config/files/stored-keys.ts";
import { checkChannels } from "./doctor-channels.ts";
import { checkDaemon, checkDatabase, checkUserConfig } from "./doctor-home.ts";
import { withRecordedPath } from "../host-environment.ts";
import { checkDisk, checkGit, checkHomeMode, checkNode, checkPath, checkTimeZone } from "./doctor-machine.ts";
import { checkNights } from "./doctor-night.ts";
import { checkLoginPath } from "./doctor-path.ts";
import { checkProject } from "./doctor-project.ts";
import { checkSandbox } from "./doctor-sandbox.ts";
import { REGISTRY, type Registry } from "../wire/registry.ts";
import { explainFinding, type Finding } from "./doctor-finding.ts";

export type { Finding } from "./doctor-finding.ts";

export interface CheckMachineParams {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Default: the built-in registry. */
  readonly registry?: Registry;
}

/** Checks everything that runs depend on. It neither needs a daemon nor starts or disturbs one. */
export async function checkMachine({ env, cwd, registry = REGISTRY }: CheckMachineParams): Promise<readonly Finding[]> {
  const machine = [checkNode(), ...(await Promise.all([checkGit(env), checkPath(env)]))];
  let home: string;
  try {
    home = await findHome(env);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [...machine, checkTimeZone(), explainFinding("home", error)];
  }
  // A damaged file is reported by `auth list` and in the daemon's log.
  const keyed = withStoredKeys(env, home);
  const { finding: configFinding, config } = await checkUserConfig(home, registry.format);
  const { finding: databaseFinding, projects } = checkDatabase(home);
  const [homeMode, disk, daemon, path, project, sandbox, nights, channels] = await Promise.all([
    checkHomeMode(home),
    checkDisk(home),
    checkDaemon(home),
    checkLoginPath(home, env, registry.agents),
    checkProject({
      env: withStoredKeys(withRecordedPath(env, home), home),
      cwd,
      home,
      projects,
      mode: config?.sandboxMode ?? null,
      registry,
    }),
    // These need a valid config.yaml, for example to know the sandbox mode.
    config === null ? [] : checkSandbox({ mode: config.sandboxMode, home, env }),
    config === null ? [] : checkNights({ env: keyed, home, projects, cwd, registry }),
    checkChannels({ env: keyed, home, config, projects, registry }),
  ]);
  const files = [homeMode, disk, configFinding, ...sandbox, databaseFinding];
  const work = [...project, ...nights, ...channels];
  return [...machine, ...path, checkTimeZone(config?.timeZone), ...files, daemon, ...work];
}
