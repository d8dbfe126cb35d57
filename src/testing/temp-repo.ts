import { execFile } from "node:child_process";
import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

export interface TempDir {
  readonly path: string;
  remove(): Promise<void>;
}

export interface TempRepo extends TempDir {
  /** A user's checkout on branch `main`. */
  readonly checkout: string;
  /** The bare repository that is the checkout's `origin`. It has the same commits. */
  readonly remote: string;
  /** Runs git in the checkout. */
  git(...args: readonly string[]): Promise<string>;
  /** Writes files (null deletes one), commits everything, pushes, and returns the new commit. */
  commit(files: Files, message?: string): Promise<string>;
}

export type Files = Readonly<Record<string, string | Buffer | null>>;

export async function createTempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), "nightshift-test-"));
  // With retries, because a supervisor that is just ending may still write its compile cache.
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }) };
}

/** Creates a checkout and its bare remote in a new temporary directory, with one commit of `files`. */
export async function createTempRepo(files: Files = { "README.md": "# Example\n" }): Promise<TempRepo> {
  const dir = await createTempDir();
  const checkout = join(dir.path, "checkout");
  const remote = join(dir.path, "remote.git");
  // Without git's sample hooks, which are fourteen files per repository.
  const init = ["init", "--quiet", "--template=", "--initial-branch=main"];
  await Promise.all([git(dir.path, ...init, "--bare", remote), git(dir.path, ...init, checkout)]);
  await appendFile(
    join(checkout, ".git/config"),
    `[remote "origin"]\n\turl = ${remote}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`,
  );
  const repo: TempRepo = {
    ...dir,
    checkout,
    remote,
    git: (...args) => git(checkout, ...args),
    commit: async (changes, message = "change") => {
      await writeFiles(checkout, changes);
      await git(checkout, "add", "--all", "--force");
      await git(checkout, "commit", "--quiet", "--allow-empty", `--message=${message}`);
      await git(checkout, "push", "--quiet", "origin", "HEAD");
      return await git(checkout, "rev-parse", "HEAD");
    },
  };
  await repo.commit(files, "first");
  return repo;
}

/** Runs git with a fixed identity and without the machine's configuration. Returns its output without the last newline. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute("git", args, { cwd, env: testGitEnv(), maxBuffer: 64 * 1024 * 1024 });
  return stdout.replace(/\n$/, "");
}

export async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    if (content === null) {
      await rm(path, { recursive: true, force: true });
      continue;
    }
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

function testGitEnv(): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: "/dev/null",
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "Person",
    GIT_AUTHOR_EMAIL: "person@example.com",
    GIT_COMMITTER_NAME: "Person",
    GIT_COMMITTER_EMAIL: "person@example.com",
  };
}
