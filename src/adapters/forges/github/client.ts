import type { ForgeApiOptions } from "../definition.ts";
import { createForgeClient } from "../shared/client.ts";
import type { ForgeClient } from "../shared/client.ts";

export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

export function createGithubClient(options: ForgeApiOptions): ForgeClient {
  return createForgeClient(options, {
    authorization: `token ${options.token}`,
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
  });
}

export function repoPath({ owner, repo }: RepositoryName, ...rest: readonly (string | number)[]): string {
  return ["/repos", ...[owner, repo, ...rest].map((part) => encodeURIComponent(part))].join("/");
}
