import type { ChangeRequest } from "../../../ports/forge.ts";
import { checkGithub } from "./check.ts";
import { canPush, readFailedChecks } from "./ci-failures.ts";
import { createGithubClient, repoPath } from "./client.ts";
import type { RepositoryName } from "./client.ts";
import { readGithubIssue } from "./issue.ts";
import { githubMerging } from "./merge.ts";
import { githubPublishing, toChangeRequest } from "./publish.ts";
import { lookAtPull, readPull } from "./read.ts";
import { postPullReview } from "./review.ts";
import { labelNames, pull, repository } from "./schemas.ts";
import { closeOnce, mergeOnce } from "../shared/merge.ts";
import { findPublished, publishOnce } from "../shared/publish.ts";
import type { ForgeApi, ForgeApiOptions } from "../definition.ts";

export function createGithub(options: ForgeApiOptions): ForgeApi {
  const client = createGithubClient(options);
  const configuredName = toName(options.project);
  let currentName: Promise<RepositoryName> | undefined;

  /** The current name, because a filter by a former name of a repository silently finds nothing. */
  const getCurrentName = () =>
    (currentName ??= client
      .get(repository, { doing: "find the repository", path: repoPath(configuredName) })
      .then(({ full_name: name }) => toName(name))
      .catch((error: unknown) => {
        currentName = undefined;
        throw error;
      }));

  return {
    publish: async (draft, onOpened) =>
      publishOnce(githubPublishing(client, await getCurrentName()), draft, { pause: options.pause, onOpened }),
    find: async (pushed) => findPublished(githubPublishing(client, await getCurrentName()), pushed),
    async listOpen(label): Promise<ChangeRequest[]> {
      const open = await client.list(pull.array(), {
        doing: "list pull requests",
        path: repoPath(await getCurrentName(), "pulls"),
        query: { state: "open", sort: "created", direction: "desc" },
      });
      const wanted = label.toLowerCase();
      const has = (names: readonly string[]) => names.some((name) => name.toLowerCase() === wanted);
      return open.filter((each) => has(labelNames(each.labels))).map(toChangeRequest);
    },
    read: async (number) => readPull(client, await getCurrentName(), number),
    readCiFailures: async (number) => readFailedChecks(client, await getCurrentName(), number),
    hasWriteAccess: async (user) => canPush(client, await getCurrentName(), user),
    readState: async (number) => lookAtPull(client, await getCurrentName(), number),
    readIssue: async (number) => readGithubIssue(client, await getCurrentName(), number),
    merge: async (number, params) =>
      mergeOnce(githubMerging(client, await getCurrentName(), number), { ...params, pause: options.pause }),
    close: async (number, comment) => closeOnce(githubMerging(client, await getCurrentName(), number), comment),
    postReview: async (number, draft) => postPullReview(client, await getCurrentName(), number, draft),
    check: () => checkGithub(client, configuredName, options.people),
  };
}

function toName(project: string): RepositoryName {
  const [owner = "", repo = ""] = project.split("/");
  return { owner, repo };
}
