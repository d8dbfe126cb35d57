import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentialsCall } from "../../adapters/git/remote/credentials.ts";
import { git, runGit } from "../../adapters/git/git.ts";
import { checkRemote as requireRemote, showRemote } from "../../adapters/git/names.ts";
import { readPerson } from "../../adapters/git/remote/network-env.ts";
import { explainRemoteFailure } from "../../adapters/git/remote/remote-errors.ts";
import type { GitCredentials } from "../../ports/forge.ts";
import { explainFinding, fine, type Finding } from "./doctor-finding.ts";

const GIT_TIMEOUT_MS = 20_000;
/** Well-known hash of the empty tree. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/**
 * Reads from the remote and does a dry-run push, without prompts, as a run would. Uses a temporary repository, so that no
 * setting of the checkout applies. `credentials`: those of the forge, if the remote belongs to one.
 */
export async function checkRemote(
  remote: string,
  credentials: GitCredentials | null = null,
): Promise<readonly Finding[]> {
  const dir = await mkdtemp(join(tmpdir(), "nightshift-doctor-"));
  try {
    const login = credentialsCall(remote, credentials, (await readPerson(undefined)).env);
    const run = (...args: readonly string[]) => runGit({ gitDir: dir, ...login, args, timeoutMs: GIT_TIMEOUT_MS });
    await git({ gitDir: dir, args: ["init", "--quiet", "--bare", "--template="] });
    const read = await run("ls-remote", "--quiet", "--", requireRemote(remote), "HEAD");
    if (read.code !== 0) return [explainFinding("remote", explainRemoteFailure(remote, read.stderr, credentials))];
    const pushed = await run(
      "push",
      "--quiet",
      "--dry-run",
      "--no-verify",
      remote,
      `${await makeCommit(dir)}:refs/heads/nightshift-doctor`,
    );
    return [
      fine("remote", `${showRemote(remote)} can be read`),
      pushed.code === 0
        ? fine("push", "would be accepted")
        : explainFinding("push", explainRemoteFailure(remote, pushed.stderr, credentials)),
    ];
  } catch (error) {
    return [explainFinding("remote", error)];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function makeCommit(gitDir: string): Promise<string> {
  const author = ["-c", "user.name=Nightshift", "-c", "user.email=nightshift@localhost"];
  await git({ gitDir, args: ["hash-object", "-t", "tree", "-w", "/dev/null"] });
  return (await git({ gitDir, args: [...author, "commit-tree", "-m", "probe", EMPTY_TREE] })).toString().trim();
}
