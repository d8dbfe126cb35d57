import type { ForgeAddress, ForgeKind } from "../../../core/forge/forge-place.ts";
import type { ForgeLoan } from "../../../ports/forge.ts";

export interface Lending {
  readonly kind: ForgeKind;
  readonly address: ForgeAddress;
  readonly project: string;
  readonly token: string;
  /** The name that goes with the token where git logs in. */
  readonly gitUser: string;
}

/**
 * The token under the name that the forge's program reads, and git told to ask for that same variable: it stands in one
 * place of the run's environment, and in no file and no argument.
 */
export function lendToken(lending: Lending): ForgeLoan {
  const { address, project, token } = lending;
  const { variable, env, open } = PROGRAMS[lending.kind](address);
  return {
    openCommand: (draft) => open(project, draft),
    network: hostsOf(address),
    env: { ...env, GIT_TERMINAL_PROMPT: "0", ...gitConfig(gitSettings(lending, variable)) },
    secrets: { [variable]: token },
  };
}

type Draft = Parameters<ForgeLoan["openCommand"]>[0];

interface Cli {
  readonly variable: string;
  readonly env: Readonly<Record<string, string>>;
  open(project: string, draft: Draft): string;
}

const PROGRAMS: Readonly<Record<ForgeKind, (address: ForgeAddress) => Cli>> = {
  gitlab: ({ web }) => ({
    variable: "GITLAB_TOKEN",
    env: { GITLAB_HOST: web, NO_PROMPT: "true", GLAB_CHECK_UPDATE: "false" },
    open: (project, { branch, target, title }) =>
      `glab mr create --repo ${project} --source-branch ${branch} --target-branch ${target} --title ${quote(title)} --description ${quote(title)} --yes`,
  }),
  github: ({ host }) => ({
    // For a server of one's own, `gh` reads another one.
    variable: host === "github.com" || host.endsWith(".ghe.com") ? "GH_TOKEN" : "GH_ENTERPRISE_TOKEN",
    env: { GH_HOST: host, GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1" },
    open: (project, { branch, target, title }) =>
      `gh pr create --repo ${host}/${project} --head ${branch} --base ${target} --title ${quote(title)} --body ${quote(title)}`,
  }),
};

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function gitSettings({ address, project, gitUser }: Lending, variable: string): readonly (readonly [string, string])[] {
  const { origin } = new URL(address.web);
  const helper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' ${gitUser} "$${variable}"; }; f`;
  return [
    ["remote.origin.url", `${address.web}/${project}.git`],
    // Whatever the machine has for logging in would be asked first, and told to keep the token.
    ["credential.helper", ""],
    [`credential.${origin}.helper`, helper],
    ["core.hooksPath", "/dev/null"],
  ];
}

function gitConfig(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const entries = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(entries) };
}

function hostsOf({ web, api }: ForgeAddress): readonly string[] {
  const hosts = [web, api].map((address) => {
    const { hostname, port, protocol } = new URL(address);
    const at = port === "" ? (protocol === "http:" ? "80" : "") : port;
    return at === "" ? hostname : `${hostname}:${at}`;
  });
  return [...new Set(hosts)];
}
