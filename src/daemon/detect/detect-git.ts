import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { checkBranch } from "../../adapters/git/names.ts";
import { UserError } from "../../core/text/errors.ts";
import { withoutCredentials } from "../../core/text/without-credentials.ts";

export interface GitFacts {
  /** Root of the checkout. */
  readonly dir: string;
  readonly defaultBranch: string;
  /** Where to fetch from and push to. The checkout itself if it has no remote. */
  readonly remote: string;
  readonly shallow: boolean;
  readonly detached: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads facts about a checkout. Throws UserError if Nightshift cannot use it. Uncommitted changes are fine: nothing is modified. */
export async function detectGit(dir: string, env: Environment): Promise<GitFacts> {
  const query: QueryGit = (...args) => queryGit(dir, env, { args });
  const kind = await query("rev-parse", "--is-bare-repository", "--is-shallow-repository");
  if (kind.output === null) throw notUsable(dir, kind.error);
  const [bare, shallow] = kind.output.split("\n");
  if (bare === "true") {
    throw new UserError(
      "invalid",
      `${dir} is a bare repository.`,
      "Clone it with `git clone` and run the command in the clone.",
    );
  }
  const top = (await query("rev-parse", "--show-toplevel")).output;
  if (top === null)
    throw new UserError(
      "invalid",
      `${dir} is inside a git directory, not in a checkout.`,
      "Run the command in the checkout itself.",
    );
  if ((await query("rev-parse", "--verify", "--quiet", "HEAD^{commit}")).output === null) {
    throw new UserError(
      "invalid",
      `The repository ${top} has no commits yet.`,
      "Make a first commit; tasks need one to start from.",
    );
  }
  const remoteName = await findRemote(query);
  const branch = (await query("symbolic-ref", "--quiet", "--short", "HEAD")).output;
  return {
    dir: top,
    defaultBranch: requirePlainBranch(await findDefaultBranch(query, remoteName, branch)),
    remote: remoteName === null ? top : await readRemote(query, remoteName, top),
    shallow: shallow === "true",
    detached: branch === null,
  };
}

export type QueryGit = (...args: string[]) => Promise<GitAnswer>;

/** Prefers `origin`, otherwise the only remote. */
export async function findRemote(query: QueryGit): Promise<string | null> {
  const names = ((await query("remote")).output ?? "").split("\n").filter((name) => name !== "");
  if (names.includes("origin")) return "origin";
  return names.length === 1 ? (names[0] ?? null) : null;
}

export async function readRemote(query: QueryGit, name: string, top: string): Promise<string> {
  const url = (await query("remote", "get-url", name)).output ?? top;
  // git starts a program for URLs such as `ext::…`.
  if (/^[A-Za-z0-9+.-]+::/.test(url) || url.startsWith("-")) {
    throw new UserError(
      "invalid",
      `The remote ${name} is \`${withoutCredentials(url)}\`, which is not supported.`,
      "Use an https, ssh, git or file URL, or a path.",
    );
  }
  const isAddress = /^(https?|ssh|git|file):\/\//.test(url) || /^[^/]+:/.test(url);
  return isAddress ? url : resolve(top, url);
}

async function findDefaultBranch(query: QueryGit, remote: string | null, current: string | null): Promise<string> {
  const head =
    remote === null ? null : (await query("symbolic-ref", "--quiet", "--short", `refs/remotes/${remote}/HEAD`)).output;
  if (head !== null) return head.slice((remote ?? "").length + 1);
  if (current !== null) return current;
  for (const branch of ["main", "master"]) {
    if ((await query("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`)).output !== null) return branch;
  }
  throw new UserError(
    "invalid",
    "No branch is checked out and the remote has no default branch.",
    "Check out the branch that tasks should start from.",
  );
}

/** Whoever made the repository chose this name, and it is shown in commands to copy. */
function requirePlainBranch(branch: string): string {
  try {
    return checkBranch(branch);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError("invalid", `The default branch has an unsafe name. ${error.message}`, error.hint);
  }
}

interface GitAnswer {
  /** Without the trailing newline. Null if git failed. */
  readonly output: string | null;
  readonly error: string;
}

export interface GitQuery {
  readonly args: readonly string[];
  /** Settings that take precedence over all others. */
  readonly config?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Use only for commands that start no program that the repository configures, such as those that read refs and configuration. */
export function queryGit(dir: string, env: Environment, { args, config = {}, signal }: GitQuery): Promise<GitAnswer> {
  const settings = Object.entries({ ...config, "core.fsmonitor": "false", "core.hooksPath": "/dev/null" });
  const own = {
    // An inherited GIT_DIR would select another repository.
    PATH: env["PATH"],
    HOME: env["HOME"],
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    // Unlike the option -c, these variables accept every name of a setting.
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
  const options = {
    cwd: dir,
    env: own,
    timeout: 30_000,
    maxBuffer: MAX_OUTPUT,
    ...(signal !== undefined && { signal }),
  };
  return new Promise((done) => {
    execFile("git", [...args], options, (error, stdout, stderr) => {
      // EACCES: git is missing, and a directory of PATH cannot be searched.
      const missing = error !== null && "code" in error && (error.code === "ENOENT" || error.code === "EACCES");
      done({ output: error === null ? stdout.replace(/\n$/, "") : null, error: missing ? "ENOENT" : stderr });
    });
  });
}

const MAX_OUTPUT = 20_000_000;

function notUsable(dir: string, error: string): UserError {
  if (error === "ENOENT")
    return new UserError(
      "unavailable",
      `git could not be started in ${dir}.`,
      "Install git, and check that the folder exists.",
    );
  if (error.includes("dubious ownership")) {
    return new UserError(
      "forbidden",
      `The repository at ${dir} belongs to another user, so git refuses it.`,
      "Use a clone of your own, or allow it with `git config --global --add safe.directory`.",
    );
  }
  return new UserError(
    "invalid",
    `${dir} is not inside a git repository.`,
    "Run `git init` and make a first commit, or go to your repository.",
  );
}
