import type { ChangeRequest } from "../../../ports/forge.ts";
import { checkGithub } from "./check.ts";
import { createGithubClient, repoPath } from "./client.ts";
import type { RepositoryName } from "./client.ts";
import { githubPublishing, toChangeRequest } from "./publish.ts";
import { lookAtPull, readPull } from "./read.ts";
import { labelNames, pull, repository } from "./schemas.ts";
import { findPublished, publishOnce } from "../shared/publish.ts";
import type { ForgeApiOptions } from "../definition.ts";
import type { ForgeVerbs } from "../shared/verbs.ts";

type GithubOptions = Omit<ForgeApiOptions, "options">;

export function createGithub(options: GithubOptions): ForgeVerbs {
  const client = createGithubClient(options);
  const written = toName(options.project);
  let known: Promise<RepositoryName> | undefined;

  /** As GitHub calls it now: a filter by the name that a repository had once finds nothing, without a word. */
  const resolve = () =>
    (known ??= client
      .get(repository, { doing: "find the repository", path: repoPath(written) })
      .then(({ full_name: name }) => toName(name))
      .catch((error: unknown) => {
        known = undefined;
        throw error;
      }));

  return {
    publish: async (draft, onOpened) =>
      publishOnce(githubPublishing(client, await resolve()), draft, { pause: options.pause, onOpened }),
    find: async (pushed) => findPublished(githubPublishing(client, await resolve()), pushed),
    async listOpen(label): Promise<ChangeRequest[]> {
      const open = await client.list(pull.array(), {
        doing: "list pull requests",
        path: repoPath(await resolve(), "pulls"),
        query: { state: "open", sort: "created", direction: "desc" },
      });
      const wanted = label.toLowerCase();
      const has = (names: readonly string[]) => names.some((name) => name.toLowerCase() === wanted);
      return open.filter((each) => has(labelNames(each.labels))).map(toChangeRequest);
    },
    read: async (number) => readPull(client, await resolve(), number),
    look: async (number) => lookAtPull(client, await resolve(), number),
    check: () => checkGithub(client, written, options.people),
  };
}

function toName(project: string): RepositoryName {
  const [owner = "", repo = ""] = project.split("/");
  return { owner, repo };
}
