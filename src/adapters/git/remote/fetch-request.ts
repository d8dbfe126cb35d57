import { UserError } from "../../../core/text/errors.ts";
import { withoutCredentials } from "../../../core/text/without-credentials.ts";
import type { FetchedRequest, RequestHead } from "../../../ports/workspace/request-head.ts";
import type { ProjectSource } from "../../../ports/workspace.ts";
import { mirrorPath, taskPaths } from "../context.ts";
import type { GitContext } from "../context.ts";
import { runGit } from "../git.ts";
import { checkBranch, checkCommit } from "../names.ts";
import { credentialsCall } from "./credentials.ts";
import { explainRemoteFailure } from "./remote-errors.ts";

type FetchRequestParams = ProjectSource & RequestHead;

const FETCH = "fetch --quiet --no-tags --no-write-fetch-head --no-auto-maintenance".split(" ");
/** In the task's own git directory. */
const REQUEST = "refs/nightshift/request";
const ONE_HOUR = 3_600_000;

/** The caller has updated the mirror and created the task's git directory. */
export async function fetchRequest(context: GitContext, params: FetchRequestParams): Promise<FetchedRequest> {
  const { remote, credentials, ref, task } = params;
  const gitDir = taskPaths(context, task).engine;
  const login = credentialsCall(remote, credentials, (await context.person()).env);
  const { code, stderr } = await runGit({
    gitDir,
    ...login,
    timeoutMs: ONE_HOUR,
    // The author may be hostile, so malformed objects are refused before anything reads them.
    settings: [...(login.settings ?? []), "fetch.fsckObjects=true"],
    args: [...FETCH, "--", remote, `+${checkRef(ref)}:${REQUEST}`],
  });
  if (code !== 0) throw explainFailure(params, stderr);
  const commit = await readCommit(gitDir, REQUEST);
  const target = await readCommit(
    mirrorPath(context, params.project),
    `refs/remotes/origin/${checkBranch(params.target)}`,
  );
  if (commit === null || target === null)
    throw new UserError("not_found", `${withoutCredentials(remote)} has no branch "${params.target}".`);
  const base = await runGit({ gitDir, args: ["merge-base", target, commit] });
  if (base.code !== 0)
    throw new UserError("conflict", `The change request has no common history with "${params.target}".`);
  return { commit, mergeBase: checkCommit(base.stdout.toString().trim()) };
}

async function readCommit(gitDir: string, ref: string): Promise<string | null> {
  const found = await runGit({ gitDir, args: ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`] });
  return found.code === 0 ? checkCommit(found.stdout.toString().trim()) : null;
}

function checkRef(ref: string): string {
  if (/^refs\/[a-z-]+\/[0-9]+\/head$/.test(ref)) return ref;
  throw new UserError("invalid", `"${ref}" cannot be the ref of a change request.`);
}

function explainFailure({ remote, ref, credentials }: FetchRequestParams, stderr: string): UserError {
  if (/couldn't find remote ref/.test(stderr))
    return new UserError(
      "not_found",
      `${withoutCredentials(remote)} has no ${ref}.`,
      "The git remote of the project must be its repository at the forge.",
    );
  return explainRemoteFailure(remote, stderr, credentials);
}
