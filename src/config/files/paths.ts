import { chmod, lstat, mkdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { UserError } from "../../core/text/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface HomePaths {
  readonly home: string;
  readonly config: string;
  readonly db: string;
  readonly daemon: string;
  /** The port of the last daemon, which the next one tries first. */
  readonly port: string;
  /** The PATH of the login shell, recorded by `init` and `start`. */
  readonly path: string;
  /** Keys stored by `nightshift auth`, in a folder that only the owner can enter. */
  readonly keys: string;
  readonly logs: string;
  readonly runs: string;
  readonly mirrors: string;
  readonly workspaces: string;
  readonly reports: string;
  /** Private home directories of agents, per task and role. */
  readonly homes: string;
  /** The name is short, because the path of a socket may have only about a hundred characters. */
  readonly sockets: string;
}

export function homePaths(home: string): HomePaths {
  return {
    home,
    config: join(home, "config.yaml"),
    db: join(home, "nightshift.db"),
    daemon: join(home, "daemon.json"),
    port: join(home, "port"),
    path: join(home, "path.json"),
    keys: join(home, "auth", "keys.json"),
    logs: join(home, "logs"),
    runs: join(home, "runs"),
    mirrors: join(home, "mirrors"),
    workspaces: join(home, "workspaces"),
    reports: join(home, "reports"),
    homes: join(home, "homes"),
    sockets: join(home, "s"),
  };
}

/** Returns `$NIGHTSHIFT_HOME` or `~/.nightshift`. Creates it with mode 0700 if it is missing. Throws UserError. */
export async function findHome(env: Environment): Promise<string> {
  const wanted = nameHome(env);
  await makeFolder(wanted);
  const home = await realpath(wanted);
  await requireOutsideRepository(home);
  await makePrivate(home);
  return home;
}

/** Returns the path of the home without creating it. Throws UserError. */
export function nameHome(env: Environment): string {
  const named = env["NIGHTSHIFT_HOME"];
  if (named === undefined || named === "") return join(personHome(env), ".nightshift");
  if (isAbsolute(named)) return named;
  throw new UserError("invalid", `NIGHTSHIFT_HOME is "${named}"; it must be an absolute path.`);
}

/** Prefers HOME, because the system may not know the user, for example in a container. */
export function personHome(env: Environment): string {
  const named = env["HOME"];
  if (named !== undefined && named !== "") return named;
  try {
    return homedir();
  } catch {
    throw new UserError(
      "unavailable",
      "HOME is not set, and the system has no home directory for this user.",
      "Set HOME, or NIGHTSHIFT_HOME for Nightshift's own data.",
    );
  }
}

async function makeFolder(folder: string): Promise<void> {
  // Check before creating anything, so that no empty folder is left in a repository.
  await requireOutsideRepository(folder);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(
      "unavailable",
      `Cannot create Nightshift's home ${folder}: ${reason}.`,
      "Set NIGHTSHIFT_HOME to a folder that you can write to.",
    );
  }
}

async function requireOutsideRepository(home: string): Promise<void> {
  for (let folder = home; ; folder = dirname(folder)) {
    if (await pathExists(join(folder, ".git"))) {
      throw new UserError(
        "invalid",
        `Nightshift's home ${home} is inside the git repository ${folder}, where agents and commits could access its data.`,
        "Set NIGHTSHIFT_HOME to a folder outside of any repository.",
      );
    }
    if (folder === dirname(folder)) return;
  }
}

/** The home contains tokens and transcripts, so only its owner may access it. */
async function makePrivate(home: string): Promise<void> {
  const stat = await lstat(home);
  const me = process.getuid?.() ?? stat.uid;
  if (stat.uid !== me) {
    throw new UserError(
      "forbidden",
      `Nightshift's home ${home} belongs to user ${stat.uid}, but you are user ${me}.`,
      "Set NIGHTSHIFT_HOME to a folder of your own.",
    );
  }
  if ((stat.mode & 0o077) !== 0) await chmod(home, 0o700);
}

/** True for anything with that name, including a broken link. */
export async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
