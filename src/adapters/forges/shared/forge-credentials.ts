import { shellWord } from "../../../core/change/related-command.ts";
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
 * Passes the token in the environment variable that the forge's CLI reads, and configures git to read the same variable.
 * The token is never written to a file or passed as an argument.
 */
export function issueForgeCredentials(params: CredentialsParams): ForgeCredentials {
  const { definition, address, project, token } = params;
  const { cli } = definition;
  const variable = cli.tokenVariable(address);
  return {
    openCommand: (draft) => cli.openCommand({ ...draft, address, project }, shellWord),
    network: listHosts(address),
    env: { ...cli.env(address), GIT_TERMINAL_PROMPT: "0", ...gitConfig(gitSettings(params, variable)) },
    secrets: { [variable]: token },
  };
}

function gitSettings(
  { definition, address, project }: CredentialsParams,
  variable: string,
): readonly (readonly [string, string])[] {
  const { origin } = new URL(address.web);
  const helper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' ${definition.gitUser} "$${variable}"; }; f`;
  return [
    ["remote.origin.url", `${address.web}/${project}.git`],
    // Disables the machine's credential helpers: git would ask them first and let them store the token.
    ["credential.helper", ""],
    [`credential.${origin}.helper`, helper],
    ["core.hooksPath", "/dev/null"],
  ];
}

/** Git settings as environment variables. */
export function gitConfig(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const entries = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(entries) };
}

function listHosts({ web, api }: ForgeAddress): readonly string[] {
  const hosts = [web, api].map((address) => {
    const { hostname, port, protocol } = new URL(address);
    const shownPort = port === "" ? (protocol === "http:" ? "80" : "") : port;
    return shownPort === "" ? hostname : `${hostname}:${shownPort}`;
  });
  return [...new Set(hosts)];
}
