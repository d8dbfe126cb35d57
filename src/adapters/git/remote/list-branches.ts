import type { ListBranchesParams, ReadBranchParams } from "../../../ports/workspace/branches.ts";
import { mirrorPath, type GitContext } from "../context.ts";
import { credentialsCall } from "./credentials.ts";
import { runGit } from "../git.ts";
import { checkBranch, checkRemote } from "../names.ts";
import { explainRemoteFailure } from "./remote-errors.ts";

const PREFIX = "refs/heads/";

export async function listBranches(context: GitContext, params: ListBranchesParams): Promise<readonly string[]> {
  const { prefix } = params;
  checkBranch(prefix);
  const refs = await listRefs(context, params, `${PREFIX}${prefix}*`);
  // An ls-remote pattern also matches at the end of a name, so filter by prefix.
  return refs
    .map(({ name }) => name)
    .filter((name) => name.startsWith(`${PREFIX}${prefix}`))
    .map((name) => name.slice(PREFIX.length));
}

export async function readBranch(context: GitContext, params: ReadBranchParams): Promise<string | null> {
  checkBranch(params.branch);
  const ref = `${PREFIX}${params.branch}`;
  return (await listRefs(context, params, ref)).find(({ name }) => name === ref)?.commit ?? null;
}

async function listRefs(
  context: GitContext,
  { project, remote, credentials }: Omit<ListBranchesParams, "prefix">,
  pattern: string,
): Promise<readonly { readonly commit: string; readonly name: string }[]> {
  checkRemote(remote);
  const login = credentialsCall(remote, credentials, (await context.person()).env);
  const args = ["ls-remote", "--quiet", "--", remote, pattern];
  const { code, stdout, stderr } = await runGit({ gitDir: mirrorPath(context, project), ...login, args });
  if (code !== 0) throw explainRemoteFailure(remote, stderr, credentials);
  return stdout
    .toString()
    .split("\n")
    .flatMap((line) => {
      const [commit = "", name] = line.split("\t");
      return name === undefined ? [] : [{ commit, name }];
    });
}
