import { z } from "zod";
import type { ForgeDefinition } from "../definition.ts";
import { isSignatureValid } from "../shared/hook.ts";
import { createGithub } from "./github.ts";

export const githubForge: ForgeDefinition = {
  kind: "github",
  name: "GitHub",
  settings: z.object({}),
  secretKeys: [],
  tokenEnv: "GITHUB_TOKEN",
  site: {
    publicUrl: "https://github.com",
    sshHost: "ssh.github.com",
    isHost: (host) => host === "github.com" || host === "ssh.github.com" || host.startsWith("github."),
    // GitHub's own hosts have a separate API host. GitHub Enterprise Server has an API path.
    apiUrl: ({ web, host }) => (isGithubHost(host) ? `https://api.${host}` : `${web}/api/v3`),
    maxPathParts: 2,
    pathHint: "Use the form owner/name.",
    requestPath: /^pull\/([1-9][0-9]{0,8})(?:\/|$)/,
    headRef: (number) => `refs/pull/${number}/head`,
  },
  // Any name works with a token. This is the one from GitHub's documentation.
  gitUser: "x-access-token",
  neededRights: 'the scope "repo", or "Contents" and "Pull requests" with read and write',
  cli: {
    program: "gh",
    loginArgs: ({ host }) => ["auth", "token", `--hostname=${host}`],
    // `gh` reads a different variable for GitHub Enterprise Server.
    tokenVariable: ({ host }) => (isGithubHost(host) ? "GH_TOKEN" : "GH_ENTERPRISE_TOKEN"),
    env: ({ host }) => ({ GH_HOST: host, GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1" }),
    gateway: {
      api: "github",
      configure: ({ url, project, socket, filesDir }) => ({
        env: {
          // The host of git's `origin`. All others are reached through the same socket.
          GH_HOST: new URL(url).hostname,
          GH_REPO: `${new URL(url).hostname}/${project}`,
          GH_CONFIG_DIR: `${filesDir}/gh`,
          GH_PROMPT_DISABLED: "1",
          GH_NO_UPDATE_NOTIFIER: "1",
          // `gh` starts only with a token. The gateway replaces this one.
          GH_TOKEN: "nightshift",
          GH_ENTERPRISE_TOKEN: "nightshift",
        },
        files: { [`${filesDir}/gh/config.yml`]: `version: "1"\nhttp_unix_socket: ${socket}\n` },
      }),
    },
    openCommand: ({ address, project, branch, target, title }, quote) =>
      `gh pr create --repo ${address.host}/${project} --head ${branch} --base ${target} --title ${quote(title)} --body ${quote(title)}`,
  },
  isFromForge: (secret, call) => isSignatureValid(secret, call, "x-hub-signature-256"),
  create: createGithub,
  docs: [
    [
      "fine-grained",
      "the repository selected; *Contents* and *Pull requests*: read and write; *Commit statuses*: read, for CI; *Issues*: read, for `submit --issue`",
    ],
    [
      "classic",
      "scope `repo`, or `public_repo` where the repository is public; `workflow` where changes to `.github/workflows` are to be pushed",
    ],
  ],
};

function isGithubHost(host: string): boolean {
  return host === "github.com" || host.endsWith(".ghe.com");
}
