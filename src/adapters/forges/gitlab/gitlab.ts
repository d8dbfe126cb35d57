import type { z } from "zod";
import { ForgeResponseError } from "../shared/responses.ts";
import { createForgeClient } from "../shared/client.ts";
import type { ForgeClient } from "../shared/client.ts";
import { readGitlabIssue } from "./issue.ts";
import { gitlabMerging } from "./merge.ts";
import { canPush, readFailedJobs } from "./ci-failures.ts";
import { gitlabPublishing, findPersonId, toChangeRequest } from "./publish.ts";
import { lookAtMergeRequest, readMergeRequest } from "./read.ts";
import { postMergeRequestReview } from "./review.ts";
import { mergeRequest, ownToken, project } from "./schemas.ts";
import { closeOnce, mergeOnce } from "../shared/merge.ts";
import { findPublished, publishOnce } from "../shared/publish.ts";
import type { ForgeApi, ForgeApiOptions, People } from "../definition.ts";

/** The lowest role that can push a branch and open a merge request. */
const DEVELOPER_ACCESS_LEVEL = 30;

export function createGitlab(options: ForgeApiOptions): ForgeApi {
  const client = createForgeClient(options, {
    // Works for personal, project, group and OAuth tokens.
    authorization: `Bearer ${options.token}`,
    accept: "application/json",
  });
  const path = `/projects/${encodeURIComponent(options.project)}`;
  const readProject = () => client.get(project, { doing: "find the project", path });
  let projectId: Promise<number> | undefined;

  /** The project's id, because GitLab rejects changes under a former path of a project. */
  const getProjectId = () =>
    (projectId ??= readProject()
      .then(({ id }) => id)
      .catch((error: unknown) => {
        projectId = undefined;
        throw error;
      }));

  return {
    publish: async (draft, onOpened) =>
      publishOnce(gitlabPublishing(client, await getProjectId()), draft, { pause: options.pause, onOpened }),
    find: async (pushed) => findPublished(gitlabPublishing(client, await getProjectId()), pushed),
    async listOpen(label) {
      const open = await client.list(mergeRequest.array(), {
        doing: "list merge requests",
        path: `/projects/${await getProjectId()}/merge_requests`,
        query: { state: "opened", labels: label, order_by: "created_at", sort: "desc" },
      });
      return open.filter(({ labels }) => labels.includes(label)).map(toChangeRequest);
    },
    read: async (number) => readMergeRequest(client, await getProjectId(), number),
    readCiFailures: async (number) => readFailedJobs(client, await getProjectId(), number),
    hasWriteAccess: async (user) => canPush(client, await getProjectId(), { user, minimum: DEVELOPER_ACCESS_LEVEL }),
    readState: async (number) => lookAtMergeRequest(client, await getProjectId(), number),
    readIssue: async (number) => readGitlabIssue(client, await getProjectId(), number),
    merge: async (number, params) =>
      mergeOnce(gitlabMerging(client, await getProjectId(), number), { ...params, pause: options.pause }),
    close: async (number, comment) => closeOnce(gitlabMerging(client, await getProjectId(), number), comment),
    postReview: async (number, draft) => postMergeRequestReview(client, await getProjectId(), number, draft),
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

/** Not every kind of token can read its own scopes. If it cannot, the project's permissions are checked instead. */
async function checkToken(client: ForgeClient): Promise<string[]> {
  const { tokenFrom, loginFrom } = client.context;
  const where = loginFrom === null ? `in ${tokenFrom}` : `from ${loginFrom}`;
  try {
    const token = await client.get(ownToken, { doing: "look at the token", path: "/personal_access_tokens/self" });
    if (!token.active) return [`The token ${where} is revoked or expired. Create a new one with the scope "api".`];
    if (token.scopes.includes("api")) return [];
    const has = token.scopes.join(", ") || "none";
    return [`The token ${where} lacks the scope "api" (it has: ${has}). Create a new one with that scope.`];
  } catch (error) {
    if (error instanceof ForgeResponseError && [400, 401, 403, 404].includes(error.status)) return [];
    throw error;
  }
}

function checkProject({ context }: ForgeClient, found: z.infer<typeof project>): string[] {
  const levels = [found.permissions?.project_access, found.permissions?.group_access]
    .map((access) => access?.access_level)
    .filter((level) => level !== undefined);
  return [
    ...(found.archived ? [`${context.repository} is archived, so nothing can be pushed to it.`] : []),
    ...(found.merge_requests_enabled === false
      ? [`Merge requests are disabled at ${context.repository}. Enable them in the project's settings.`]
      : []),
    ...(levels.length > 0 && Math.max(...levels) < DEVELOPER_ACCESS_LEVEL
      ? [`The token can read ${context.repository} but not push to it. Its owner needs the role Developer.`]
      : []),
  ];
}

async function checkPeople(client: ForgeClient, { reviewer, assignee }: People): Promise<string[]> {
  const problems: string[] = [];
  if (reviewer !== null && (await findPersonId(client, reviewer)) === null)
    problems.push(`${client.context.host} has no user "${reviewer}". Set \`forge.reviewer\` to a user name.`);
  if (assignee !== null && (await findPersonId(client, assignee)) === null)
    problems.push(`${client.context.host} has no user "${assignee}". Set \`forge.assignee\` to a user name.`);
  return problems;
}
