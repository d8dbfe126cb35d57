import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { UserError } from "../../core/text/errors.ts";

export interface GitFacts {
  /** The top of the checkout. */
  readonly dir: string;
  readonly defaultBranch: string;
  /** Where commits come from and go to; the checkout itself where it has no remote. */
  readonly remote: string;
  readonly shallow: boolean;
  readonly detached: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Asks git about a checkout. Throws UserError where Nightshift cannot work with it. A dirty checkout is fine: nobody touches it. */
export async function detectGit(dir: string, env: Environment): Promise<GitFacts> {
  const ask = (...args: string[]): Promise<GitAnswer> => askGit(dir, env, args);
  const kind = await ask("rev-parse", "--is-bare-repository", "--is-shallow-repository");
  if (kind.output === null) throw notUsable(dir, kind.error);
  const [bare, shallow] = kind.output.split("\n");
  if (bare === "true") {
    throw new UserError(
      "invalid",
      `${dir} is a bare repository.`,
      "Use a checkout of it: `git clone` it and run this there.",
    );
  }
  const top = (await ask("rev-parse", "--show-toplevel")).output;
  if (top === null)
    throw new UserError(
      "invalid",
      `${dir} is inside a git directory, not in a checkout.`,
      "Go to the checkout itself.",
    );
  if ((await ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")).output === null) {
    throw new UserError(
      "invalid",
      `The repository ${top} has no commits yet.`,
      "Make a first commit: work starts from one.",
    );
  }
  const remoteName = await findRemote(ask);
  const branch = (await ask("symbolic-ref", "--quiet", "--short", "HEAD")).output;
  return {
    dir: top,
    defaultBranch: await findDefaultBranch(ask, remoteName, branch),
    remote: remoteName === null ? top : await readRemote(ask, remoteName, top),
    shallow: shallow === "true",
    detached: branch === null,
  };
}

type Ask = (...args: string[]) => Promise<GitAnswer>;

/** `origin`, or the only one. */
async function findRemote(ask: Ask): Promise<string | null> {
  const names = ((await ask("remote")).output ?? "").split("\n").filter((name) => name !== "");
  if (names.includes("origin")) return "origin";
  return names.length === 1 ? (names[0] ?? null) : null;
}

async function readRemote(ask: Ask, name: string, top: string): Promise<string> {
  const url = (await ask("remote", "get-url", name)).output ?? top;
  // `ext::` and its like name a program that git would start.
  if (/^[A-Za-z0-9+.-]+::/.test(url) || url.startsWith("-")) {
    throw new UserError(
      "invalid",
      `The remote ${name} is \`${url}\`.`,
      "Allowed are https, ssh, git and file addresses and paths.",
    );
  }
  const isAddress = /^(https?|ssh|git|file):\/\//.test(url) || /^[^/]+:/.test(url);
  return isAddress ? url : resolve(top, url);
}

async function findDefaultBranch(ask: Ask, remote: string | null, current: string | null): Promise<string> {
  const head =
    remote === null ? null : (await ask("symbolic-ref", "--quiet", "--short", `refs/remotes/${remote}/HEAD`)).output;
  if (head !== null) return head.slice((remote ?? "").length + 1);
  if (current !== null) return current;
  for (const branch of ["main", "master"]) {
    if ((await ask("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`)).output !== null) return branch;
  }
  throw new UserError(
    "invalid",
    "No branch is checked out and the remote names no default branch.",
    "Check out the branch that work should start from.",
  );
}

interface GitAnswer {
  /** Without the last line end; null when git said no. */
  readonly output: string | null;
  readonly error: string;
}

/** Only questions that read refs and configuration, so nothing the repository names is started. */
function askGit(dir: string, env: Environment, args: readonly string[]): Promise<GitAnswer> {
  const guards = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  // A GIT_DIR of the caller's would answer for another repository.
  const own = { PATH: env["PATH"], HOME: env["HOME"], LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
  return new Promise((done) => {
    execFile("git", [...guards, ...args], { cwd: dir, env: own, timeout: 30_000 }, (error, stdout, stderr) => {
      const missing = error !== null && "code" in error && error.code === "ENOENT";
      done({ output: error === null ? stdout.replace(/\n$/, "") : null, error: missing ? "ENOENT" : stderr });
    });
  });
}

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
