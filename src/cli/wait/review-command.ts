import { findFetchedRefs } from "../../daemon/detect/detect-checkout.ts";
import { findProjectDir } from "../../config/files/find-project.ts";
import { shellWord } from "../../core/change/related-command.ts";
import type { Client, TaskJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { isCopyable } from "../copyable.ts";

/**
 * Returns the git command that shows a task's published branch in the person's checkout, such as
 * `git fetch origin && git diff origin/main...origin/agent/greet`. Null if it would not work.
 */
export async function findReviewCommand(
  context: CliContext,
  client: Pick<Client, "call">,
  task: TaskJson,
): Promise<string | null> {
  const branch = task.artifacts.findLast(({ type }) => type === "branch")?.label;
  if (branch === undefined) return null;
  try {
    const { projects } = await client.call("GET /projects");
    const found = projects.find(({ name }) => name === task.project);
    if (found === undefined || found.path === null) return null;
    const { path, remote, default_branch: defaultBranch } = found;
    const refs = await findFetchedRefs({ path, remote, defaultBranch }, context.env, branch);
    if (refs === null) return null;
    const git = (await findProjectDir(context.cwd)) === path ? "git" : `git -C ${shellWord(path)}`;
    const diff = `${git} diff ${shellWord(`${refs.base}...${refs.branch}`)}`;
    const command = refs.remote === null ? diff : `${git} fetch ${shellWord(refs.remote)} && ${diff}`;
    return isCopyable(command) ? command : null;
  } catch {
    // Without the command, the person still has `nightshift diff`.
    return null;
  }
}
