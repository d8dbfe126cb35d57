import { ForgeError } from "../../../core/text/errors.ts";
import { AnsweredError, parseJson, readAs } from "../shared/answers.ts";
import { repoPath } from "./client.ts";
import type { GithubClient, RepositoryName } from "./client.ts";
import { repository } from "./schemas.ts";
import type { People } from "../shared/verbs.ts";

export async function checkGithub(client: GithubClient, at: RepositoryName, people: People): Promise<string[]> {
  const { voice } = client;
  const answer = await client.send({ doing: "see the repository", path: repoPath(at) });
  const found = readAs(voice, repository, parseJson(voice, answer));
  const scopes = answer.headers.get("x-oauth-scopes");
  const lacking = scopes !== null ? lackingScope(scopes, found.private) : null;
  return [
    ...(lacking === null
      ? []
      : [`The token lacks the scope "${lacking}". Give it that scope, or make a new one for ${voice.tokenFrom}.`]),
    ...(found.archived ? [`${voice.place} is archived: nothing can be pushed or opened there.`] : []),
    ...(found.permissions?.push === false
      ? [`The token may read ${voice.place} but not push to it. It needs ${voice.neededRights}.`]
      : []),
    ...(await checkPeople(client, at, people)),
  ];
}

/** Only tokens of the classic kind tell their scopes. */
function lackingScope(header: string, isPrivate: boolean): string | null {
  const scopes = header.split(",").map((scope) => scope.trim());
  if (scopes.includes("repo") || (!isPrivate && scopes.includes("public_repo"))) return null;
  return isPrivate ? "repo" : "public_repo";
}

async function checkPeople(client: GithubClient, at: RepositoryName, people: People): Promise<string[]> {
  const { reviewer, assignee } = people;
  const problems: string[] = [];
  // A team is `org/team`: whether it is there, only the organisation's own tokens may ask.
  if (reviewer !== null && !reviewer.includes("/")) {
    const known = await isKnown(() =>
      client.send({ doing: "look for the reviewer", path: repoPath(at, "collaborators", reviewer) }),
    );
    if (!known)
      problems.push(`The reviewer "${reviewer}" does not work on ${client.voice.place}. Set \`forge.reviewer\`.`);
  }
  if (assignee !== null) {
    const known = await isKnown(() =>
      client.send({ doing: "look for the assignee", path: repoPath(at, "assignees", assignee) }),
    );
    if (!known) problems.push(`"${assignee}" cannot be assigned at ${client.voice.place}. Set \`forge.assignee\`.`);
  }
  return problems;
}

/** A token that may not ask says nothing about the person. */
async function isKnown(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (error instanceof AnsweredError && error.status === 404) return false;
    if (error instanceof ForgeError && error.trouble === "credentials") return true;
    throw error;
  }
}
