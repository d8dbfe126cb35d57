import { ForgeError } from "../../../core/text/errors.ts";
import { ForgeResponseError, parseJson, parseAs } from "../shared/responses.ts";
import { repoPath } from "./client.ts";
import type { RepositoryName } from "./client.ts";
import type { ApiRequest, ForgeClient } from "../shared/client.ts";
import { repository } from "./schemas.ts";
import type { People } from "../definition.ts";

export async function checkGithub(client: ForgeClient, repo: RepositoryName, people: People): Promise<string[]> {
  const { context } = client;
  const response = await client.send({ doing: "see the repository", path: repoPath(repo) });
  const found = parseAs(context, repository, parseJson(context, response));
  const scopes = response.headers.get("x-oauth-scopes");
  const missingScope = scopes !== null ? findMissingScope(scopes, found.private) : null;
  return [
    ...(missingScope === null
      ? []
      : [
          `The token lacks the scope "${missingScope}". Add that scope, or create a new token for ${context.tokenFrom}.`,
        ]),
    ...(found.archived ? [`${context.repository} is archived, so nothing can be pushed to it.`] : []),
    ...(found.permissions?.push === false
      ? [`The token can read ${context.repository} but not push to it. It needs ${context.neededRights}.`]
      : []),
    ...(await checkPeople(client, repo, people)),
  ];
}

/** GitHub sends this header only for classic tokens. */
function findMissingScope(header: string, isPrivate: boolean): string | null {
  const scopes = header.split(",").map((scope) => scope.trim());
  if (scopes.includes("repo") || (!isPrivate && scopes.includes("public_repo"))) return null;
  return isPrivate ? "repo" : "public_repo";
}

async function checkPeople(client: ForgeClient, repo: RepositoryName, people: People): Promise<string[]> {
  const { reviewer, assignee } = people;
  const { repository: place } = client.context;
  const problems: string[] = [];
  // Only tokens of the organization can look up a team (`org/team`).
  if (reviewer !== null && !reviewer.includes("/")) {
    const path = repoPath(repo, "collaborators", reviewer);
    if (!(await exists(client, { doing: "look for the reviewer", path })))
      problems.push(`The reviewer "${reviewer}" is not a collaborator of ${place}. Set \`forge.reviewer\`.`);
  }
  if (assignee !== null) {
    const path = repoPath(repo, "assignees", assignee);
    if (!(await exists(client, { doing: "look for the assignee", path })))
      problems.push(`"${assignee}" cannot be assigned at ${place}. Set \`forge.assignee\`.`);
  }
  return problems;
}

/** Assumes that the person exists if the token is not allowed to look them up. */
async function exists(client: ForgeClient, request: ApiRequest): Promise<boolean> {
  try {
    await client.send(request);
    return true;
  } catch (error) {
    if (error instanceof ForgeResponseError && error.status === 404) return false;
    if (error instanceof ForgeError && error.trouble === "credentials") return true;
    throw error;
  }
}
