import { didYouMean } from "../../core/text/did-you-mean.ts";
import { UserError } from "../../core/text/errors.ts";
import { findHome } from "../../config/files/paths.ts";
import type { UserConfig } from "../../config/files/user-config.ts";
import { withStoredKeys } from "../../config/files/stored-keys.ts";
import { checkChannels } from "./doctor-channels.ts";
import { askDaemon, checkDatabase, checkUserConfig, type RegisteredProject } from "./doctor-home.ts";
import { withRecordedPath } from "../host-environment.ts";
import { checkDisk, checkGit, checkHome, checkNode, checkPath, checkTimeZone } from "./doctor-machine.ts";
import { checkNights } from "./doctor-night.ts";
import { checkLoginPath } from "./doctor-path.ts";
import { checkProject } from "./doctor-project.ts";
import { checkSandbox } from "./doctor-sandbox.ts";
import { REGISTRY, type Registry } from "../wire/registry.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";
import { explainFinding, type Finding } from "./doctor-finding.ts";

export { NIGHT_NEEDS, type Finding } from "./doctor-finding.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface CheckMachineParams {
  readonly env: Environment;
  readonly cwd: string;
  /** Check this project instead of the one in `cwd`. */
  readonly project?: string | null;
  /** The version of the caller, to compare the daemon's with it. */
  readonly version?: string | null;
  /** Let the daemon run the checks of the current project on its default branch. Default: false. */
  readonly run?: boolean;
  /** Default: the built-in registry. */
  readonly registry?: Registry;
}

/**
 * Checks everything that runs depend on. A running daemon checks what depends on its own environment; without one, that of
 * the caller is checked. Never starts a daemon.
 */
export async function checkMachine({
  env,
  cwd: calledIn,
  project = null,
  version = null,
  run = false,
  registry = REGISTRY,
}: CheckMachineParams): Promise<readonly Finding[]> {
  let home: string;
  try {
    home = await findHome(env);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const machine = await Promise.all([checkGit(env), checkPath(env)]);
    return [checkNode(), ...machine, checkTimeZone(), explainFinding("home", error)];
  }
  const { finding: configFinding, config } = await checkUserConfig(home, registry.format);
  const { finding: databaseFinding, projects } = checkDatabase(home);
  const cwd = project === null ? calledIn : findFolder(project, projects);
  const [homeMode, disk, path, daemon] = await Promise.all([
    checkHome(home),
    checkDisk(home),
    checkLoginPath(home, env, registry.agents),
    askDaemon(home, { cwd, run, version }),
  ]);
  const seen = daemon.findings ?? (await checkEnvironment({ env, home, config, projects, cwd, registry }));
  const files = [homeMode, disk, configFinding, databaseFinding];
  return [checkNode(), ...path, checkTimeZone(config?.timeZone), ...files, daemon.finding, ...seen];
}

function findFolder(name: string, projects: readonly RegisteredProject[]): string {
  const found = projects.find((project) => project.name === name);
  if (found?.path != null) return found.path;
  if (found !== undefined)
    throw new UserError("invalid", `The project "${name}" has no checkout, so doctor cannot check it.`);
  const names = projects.map((project) => project.name);
  throw new UserError(
    "not_found",
    `There is no project "${name}".${didYouMean(name, names)}`,
    names.length === 0 ? 'Run "nightshift init" in its folder to register it.' : `Registered: ${names.join(", ")}.`,
  );
}

export interface CheckEnvironmentParams extends Required<Pick<CheckMachineParams, "env" | "cwd" | "registry">> {
  readonly home: string;
  /** Null if config.yaml is invalid. */
  readonly config: Pick<UserConfig, "sandboxMode" | "notify"> | null;
  readonly projects: readonly RegisteredProject[];
  /** Called with the token of the user's own login at a forge. Default: only the forge's messages are redacted. */
  readonly addSecret?: (secret: Secret) => void;
}

/** Checks what depends on the environment of the process that starts runs: programs, keys, agents, remotes and channels. */
export async function checkEnvironment(params: CheckEnvironmentParams): Promise<readonly Finding[]> {
  const { env, home, config, projects, cwd, registry, addSecret = () => undefined } = params;
  // A damaged file is reported by `auth list` and in the daemon's log.
  const keyed = withStoredKeys(env, home);
  const [git, path, project, sandbox, nights, channels] = await Promise.all([
    checkGit(env),
    checkPath(env),
    checkProject({
      env: withStoredKeys(withRecordedPath(env, home), home),
      cwd,
      home,
      projects,
      mode: config?.sandboxMode ?? null,
      registry,
      addSecret,
    }),
    // These need a valid config.yaml, for example to know the sandbox mode.
    config === null ? [] : checkSandbox({ mode: config.sandboxMode, home, env }),
    config === null
      ? []
      : checkNights({
          env: withStoredKeys(withRecordedPath(env, home), home),
          home,
          projects,
          cwd,
          registry,
          addSecret,
        }),
    checkChannels({ env: keyed, home, config, projects, registry }),
  ]);
  return [git, path, ...sandbox, ...project, ...nights, ...channels];
}
