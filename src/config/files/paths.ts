import { chmod, lstat, mkdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { UserError } from "../../core/text/errors.ts";
import { pathExists } from "./path-exists.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface HomePaths {
  readonly home: string;
  readonly config: string;
  readonly db: string;
  readonly daemon: string;
  /** The PATH of the login shell, as `init` and `start` found it. */
  readonly path: string;
  readonly logs: string;
  readonly runs: string;
  readonly mirrors: string;
  readonly workspaces: string;
  readonly reports: string;
  /** Private HOMEs of agents, per task and role. */
  readonly homes: string;
  /** Short on purpose: a socket's path has about a hundred characters. */
  readonly sockets: string;
}

export function homePaths(home: string): HomePaths {
  return {
    home,
    config: join(home, "config.yaml"),
    db: join(home, "nightshift.db"),
    daemon: join(home, "daemon.json"),
    path: join(home, "path.json"),
    logs: join(home, "logs"),
    runs: join(home, "runs"),
    mirrors: join(home, "mirrors"),
    workspaces: join(home, "workspaces"),
    reports: join(home, "reports"),
    homes: join(home, "homes"),
    sockets: join(home, "s"),
  };
}

/** `$NIGHTSHIFT_HOME`, else `~/.nightshift`; made where it is missing, for its owner alone. Throws UserError. */
export async function findHome(env: Environment): Promise<string> {
  const wanted = nameHome(env);
  await makeFolder(wanted);
  const home = await realpath(wanted);
  await requireOutsideRepository(home);
  await makePrivate(home);
  return home;
}

/** Where the home is or would be; nothing is made. Throws UserError. */
export function nameHome(env: Environment): string {
  const named = env["NIGHTSHIFT_HOME"];
  if (named === undefined || named === "") return join(personHome(env), ".nightshift");
  if (isAbsolute(named)) return named;
  throw new UserError("invalid", `NIGHTSHIFT_HOME is \`${named}\`; allowed: an absolute path.`);
}

/** A user whom the system does not know (as in some containers) has only the home that the environment names. */
export function personHome(env: Environment): string {
  const named = env["HOME"];
  if (named !== undefined && named !== "") return named;
  try {
    return homedir();
  } catch {
    throw new UserError(
      "unavailable",
      "HOME is not set, and the system knows no home directory of this user.",
      "Set HOME, or NIGHTSHIFT_HOME for Nightshift's own data.",
    );
  }
}

async function makeFolder(folder: string): Promise<void> {
  // Before anything is made: a home inside a repository must not even leave an empty folder there.
  await requireOutsideRepository(folder);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(
      "unavailable",
      `Nightshift's home ${folder} cannot be made: ${reason}.`,
      "Set NIGHTSHIFT_HOME to a folder you may write.",
    );
  }
}

async function requireOutsideRepository(home: string): Promise<void> {
  for (let folder = home; ; folder = dirname(folder)) {
    if (await pathExists(join(folder, ".git"))) {
      throw new UserError(
        "invalid",
        `Nightshift's home ${home} is inside the git repository ${folder}: agents and commits could reach its data.`,
        "Set NIGHTSHIFT_HOME to a folder outside of every repository.",
      );
    }
    if (folder === dirname(folder)) return;
  }
}

/** Tokens and transcripts are in it, so nobody else may look. */
async function makePrivate(home: string): Promise<void> {
  const stat = await lstat(home);
  const me = process.getuid?.() ?? stat.uid;
  if (stat.uid !== me) {
    throw new UserError(
      "forbidden",
      `Nightshift's home ${home} belongs to user ${stat.uid}, you are ${me}.`,
      "Use a home of your own: set NIGHTSHIFT_HOME.",
    );
  }
  if ((stat.mode & 0o077) !== 0) await chmod(home, 0o700);
}
