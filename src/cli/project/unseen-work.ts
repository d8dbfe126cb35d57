import { findUnseenWork, type UnseenWork } from "../../daemon/detect/detect-checkout.ts";
import { escapedLine } from "../../core/text/terminal-text.ts";
import type { Client } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../print/terminal/style.ts";
import { plural } from "../print/terminal/words.ts";

/** In a large repository, the line is left out rather than delaying the command. */
const TIMEOUT_MS = 1_000;

/** Returns one line about local work that a new task does not contain. Empty if there is none. Never rejects. */
export async function describeUnseenWork(context: CliContext, client: Client, project: string): Promise<string> {
  if (context.json || context.quiet) return "";
  try {
    const { projects } = await client.call("GET /projects");
    const found = projects.find(({ name }) => name === project);
    if (found === undefined || found.path === null) return "";
    const { path, remote, default_branch: defaultBranch } = found;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const work = await findUnseenWork({ path, remote, defaultBranch }, context.env, signal);
    return work === null ? "" : describe(context, work);
  } catch {
    // The line is only a hint. The command itself reports the problem if it matters.
    return "";
  }
}

function describe(context: CliContext, { base, commit, branch, commits, files }: UnseenWork): string {
  const parts = [
    ...(files === 0 ? [] : [plural(files, "uncommitted file")]),
    ...(commits === 0 ? [] : [`${plural(commits, "commit")} of ${escapedLine(branch ?? "HEAD")}`]),
  ];
  if (parts.length === 0) return "";
  const at = commit === null ? "" : ` at ${commit}${base === branch ? "" : " (as of the last fetch)"}`;
  const line = `Not part of the task: ${parts.join(" and ")}. The task starts from ${escapedLine(base)}${at}.`;
  return `${paint(context, "yellow", line)}\n`;
}
