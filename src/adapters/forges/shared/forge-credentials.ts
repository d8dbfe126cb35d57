import type { ForgeAddress } from "../../../core/forge/forge-address.ts";
import type { ForgeCredentials } from "../../../ports/forge.ts";
import type { ForgeDefinition } from "../definition.ts";

export interface CredentialsParams {
  readonly definition: Pick<ForgeDefinition, "cli" | "gitUser">;
  readonly address: ForgeAddress;
  readonly project: string;
  readonly token: string;
}

/**
 * The token under the name that the forge's program reads, and git told to ask for that same variable: it stands in one
 * place of the run's environment, and in no file and no argument.
 */
export function issueForgeCredentials(lending: CredentialsParams): ForgeCredentials {
  const { definition, address, project, token } = lending;
  const { cli } = definition;
  const variable = cli.tokenVariable(address);
  return {
    openCommand: (draft) => cli.openCommand({ ...draft, address, project }, quote),
    network: hostsOf(address),
    env: { ...cli.env(address), GIT_TERMINAL_PROMPT: "0", ...gitConfig(gitSettings(lending, variable)) },
    secrets: { [variable]: token },
  };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function gitSettings(
  { definition, address, project }: CredentialsParams,
  variable: string,
): readonly (readonly [string, string])[] {
  const { origin } = new URL(address.web);
  const helper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' ${definition.gitUser} "$${variable}"; }; f`;
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
