import { UserError } from "../../core/text/errors.ts";
import { findHome } from "../../config/files/paths.ts";
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
  /** Default: what the program ships with. */
  readonly registry?: Registry;
}

/** Looks at everything a night depends on. Works without a daemon, starts none, and takes nothing from one that runs. */
export async function checkMachine({ env, cwd, registry = REGISTRY }: CheckMachineParams): Promise<readonly Finding[]> {
  const machine = [checkNode(), ...(await Promise.all([checkGit(env), checkPath(env)]))];
  let home: string;
  try {
    home = await findHome(env);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [...machine, checkTimeZone(), explainFinding("home", error)];
  }
  const { finding: ofConfig, config } = await checkUserConfig(home, registry.format);
  const { finding: ofDatabase, projects } = checkDatabase(home);
  const rest = await Promise.all([
    checkHomeMode(home),
    checkDisk(home),
    checkDaemon(home),
    checkLoginPath(home, env, registry.agents),
    checkProject({
      env: withRecordedPath(env, home),
      cwd,
      home,
      projects,
      mode: config?.sandboxMode ?? null,
      registry,
    }),
    // Where config.yaml cannot be read, nobody knows which wall is wanted.
    config === null ? [] : checkSandbox({ mode: config.sandboxMode, home, env }),
    config === null ? [] : checkNights({ env, home, projects, cwd, registry }),
    checkChannels({ env, home, config, projects, registry }),
  ]);
  const [ofHome, ofDisk, ofDaemon, ofPath, ofProject, ofSandbox, ofNights, ofChannels] = rest;
  const ofFiles = [ofHome, ofDisk, ofConfig, ...ofSandbox, ofDatabase];
  const ofWork = [...ofProject, ...ofNights, ...ofChannels];
  return [...machine, ...ofPath, checkTimeZone(config?.timeZone), ...ofFiles, ofDaemon, ...ofWork];
}
