import { z } from "zod";
import type { ForgeDefinition } from "../definition.ts";
import { isSameSecret } from "../shared/hook.ts";
import { createGitlab } from "./gitlab.ts";

export const gitlabForge: ForgeDefinition = {
  kind: "gitlab",
  name: "GitLab",
  settings: z.object({}),
  secretKeys: [],
  tokenEnv: "GITLAB_TOKEN",
  site: {
    publicUrl: "https://gitlab.com",
    sshHost: "altssh.gitlab.com",
    isHost: (host) => host.split(".").includes("gitlab"),
    apiUrl: ({ web }) => `${web}/api/v4`,
    maxPathParts: 21,
    pathHint: "Use the form group/name or group/subgroup/name.",
    // Addresses of old versions have no dash.
    requestPath: /^(?:-\/)?merge_requests\/([1-9][0-9]{0,8})(?:\/|$)/,
    headRef: (number) => `refs/merge-requests/${number}/head`,
  },
  gitUser: "oauth2",
  neededRights: 'the scope "api" and the role Developer',
  cli: {
    program: "glab",
    loginArgs: ({ host }) => ["config", "get", "token", `--host=${host}`],
    tokenVariable: () => "GITLAB_TOKEN",
    env: ({ web }) => ({ GITLAB_HOST: web, NO_PROMPT: "true", GLAB_CHECK_UPDATE: "false" }),
    gateway: {
      api: "gitlab",
      configure: ({ url }) => ({
        env: {
          GITLAB_HOST: url,
          NO_PROMPT: "true",
          GLAB_CHECK_UPDATE: "false",
          // `glab` starts only with a token. The gateway replaces this one.
          GITLAB_TOKEN: "nightshift",
        },
        files: {},
      }),
    },
    openCommand: ({ project, branch, target, title }, quote) =>
      `glab mr create --repo ${project} --source-branch ${branch} --target-branch ${target} --title ${quote(title)} --description ${quote(title)} --yes`,
  },
  isFromForge: async (secret, { header }) => isSameSecret(header("x-gitlab-token"), secret),
  create: createGitlab,
  docs: [
    [
      "personal, group or project access token",
      "scope `api`; its owner has the role Developer or higher in the project",
    ],
  ],
};
