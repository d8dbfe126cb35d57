import { z } from "zod";
import { ForgeError } from "../../../core/text/errors.ts";
import type { ForgeIssue } from "../../../ports/forge.ts";
import type { ForgeClient } from "../shared/client.ts";
import { repoPath, type RepositoryName } from "./client.ts";

const issue = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  body: z.string().nullish(),
  html_url: z.string().regex(/^https?:\/\//),
  // Pull requests are issues too, for GitHub.
  pull_request: z.unknown().optional(),
});

export async function readGithubIssue(client: ForgeClient, repo: RepositoryName, number: number): Promise<ForgeIssue> {
  const found = await client.get(issue, { doing: `read issue #${number}`, path: repoPath(repo, "issues", number) });
  if (found.pull_request !== undefined)
    throw new ForgeError(
      "missing",
      `Number ${number} of ${client.context.repository} is a pull request, not an issue.`,
    );
  return { number: found.number, title: found.title, body: found.body ?? "", url: found.html_url };
}
