import type { ListBranchesParams } from "../../ports/workspace.ts";
import { mirrorPath, type GitContext } from "./context.ts";
import { credentialsCall } from "./credentials.ts";
import { runGit } from "./git.ts";
import { checkBranch, checkRemote } from "./names.ts";
import { explainRemoteFailure } from "./remote-errors.ts";

const PREFIX = "refs/heads/";

export async function listBranches(context: GitContext, params: ListBranchesParams): Promise<readonly string[]> {
  const { project, remote, prefix, credentials } = params;
  checkRemote(remote);
  checkBranch(prefix);
  const login = credentialsCall(remote, credentials, (await context.person()).env);
  const args = ["ls-remote", "--quiet", "--", remote, `${PREFIX}${prefix}*`];
  const { code, stdout, stderr } = await runGit({ gitDir: mirrorPath(context, project), ...login, args });
  if (code !== 0) throw explainRemoteFailure(remote, stderr, credentials);
  const names = stdout
    .toString()
    .split("\n")
    .flatMap((line) => line.split("\t")[1] ?? []);
  // A pattern of ls-remote matches at the end of a name too.
  return names.filter((name) => name.startsWith(`${PREFIX}${prefix}`)).map((name) => name.slice(PREFIX.length));
}
