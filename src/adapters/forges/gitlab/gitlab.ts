import type { z } from "zod";
import { AnsweredError } from "../shared/answers.ts";
import { createGitlabClient } from "./client.ts";
import type { GitlabClient } from "./client.ts";
import { gitlabPublishing, lookUpPerson, toChangeRequest } from "./publish.ts";
import { lookAtMergeRequest, readMergeRequest } from "./read.ts";
import { mergeRequest, ownToken, project } from "./schemas.ts";
import { findPublished, publishOnce } from "../shared/publish.ts";
import type { ForgeApiOptions } from "../definition.ts";
import type { ForgeVerbs, People } from "../shared/verbs.ts";

type GitlabOptions = Omit<ForgeApiOptions, "options">;

/** Who may push a branch and open a merge request. */
const DEVELOPER = 30;

export function createGitlab(options: GitlabOptions): ForgeVerbs {
  const client = createGitlabClient(options);
  const path = `/projects/${encodeURIComponent(options.project)}`;
  const readProject = () => client.get(project, { doing: "find the project", path });
  let known: Promise<number> | undefined;

  /** Its number: GitLab takes changes under the path that a project had once with nothing but a refusal. */
  const resolve = () =>
    (known ??= readProject()
      .then(({ id }) => id)
      .catch((error: unknown) => {
        known = undefined;
        throw error;
      }));

  return {
    publish: async (draft, onOpened) =>
      publishOnce(gitlabPublishing(client, await resolve()), draft, { pause: options.pause, onOpened }),
    find: async (pushed) => findPublished(gitlabPublishing(client, await resolve()), pushed),
    async listOpen(label) {
      const open = await client.list(mergeRequest, {
        doing: "list merge requests",
        path: `/projects/${await resolve()}/merge_requests`,
        query: { state: "opened", labels: label, order_by: "created_at", sort: "desc" },
      });
      return open.filter(({ labels }) => labels.includes(label)).map(toChangeRequest);
    },
    read: async (number) => readMergeRequest(client, await resolve(), number),
    look: async (number) => lookAtMergeRequest(client, await resolve(), number),
    async check() {
      const found = await readProject();
      return [
        ...(await checkToken(client)),
        ...checkProject(client, found),
        ...(await checkPeople(client, options.people)),
      ];
    },
  };
}

/** Not every kind of token may look at itself: where it may not, the project's answer has to do. */
async function checkToken(client: GitlabClient): Promise<string[]> {
  const { tokenFrom } = client.voice;
  try {
    const token = await client.get(ownToken, { doing: "look at the token", path: "/personal_access_tokens/self" });
    if (!token.active) return [`The token in ${tokenFrom} is revoked or expired. Make a new one with the scope "api".`];
    if (token.scopes.includes("api")) return [];
    const has = token.scopes.join(", ") || "none";
    return [`The token in ${tokenFrom} lacks the scope "api" (it has: ${has}). Make a new one with it.`];
  } catch (error) {
    if (error instanceof AnsweredError && [400, 401, 403, 404].includes(error.status)) return [];
    throw error;
  }
}

function checkProject({ voice }: GitlabClient, found: z.infer<typeof project>): string[] {
  const levels = [found.permissions?.project_access, found.permissions?.group_access]
    .map((access) => access?.access_level)
    .filter((level) => level !== undefined);
  return [
    ...(found.archived ? [`${voice.place} is archived: nothing can be pushed or opened there.`] : []),
    ...(found.merge_requests_enabled === false
      ? [`Merge requests are switched off at ${voice.place}. Switch them on in the project's settings.`]
      : []),
    ...(levels.length > 0 && Math.max(...levels) < DEVELOPER
      ? [`The token may read ${voice.place} but not push to it. Its owner needs the role Developer there.`]
      : []),
  ];
}

async function checkPeople(client: GitlabClient, { reviewer, assignee }: People): Promise<string[]> {
  const problems: string[] = [];
  if (reviewer !== null && (await lookUpPerson(client, reviewer)) === null)
    problems.push(`${client.voice.host} knows no "${reviewer}". Set \`forge.reviewer\` to a user name.`);
  if (assignee !== null && (await lookUpPerson(client, assignee)) === null)
    problems.push(`${client.voice.host} knows no "${assignee}". Set \`forge.assignee\` to a user name.`);
  return problems;
}
