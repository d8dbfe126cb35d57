import type { NamedMcpServer } from "../../ports/mcp.ts";
import { MCP_BRIDGE } from "../process/bundle.ts";
import { findInnerProgram, type InnerProgram } from "../process/inner-program.ts";

/** The daemon's environment, with the stored keys. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Found once, so that a daemon keeps using the version it started with. */
let program: InnerProgram | null = null;

export function mcpBridge(): InnerProgram {
  return (program ??= findInnerProgram(MCP_BRIDGE));
}

export function secretsOf(
  { secrets }: Pick<NamedMcpServer, "secrets">,
  env: Variables,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    secrets.flatMap((name) => (env[name] === undefined || env[name] === "" ? [] : [[name, env[name]]])),
  );
}

/** What a program that the user starts needs. The daemon's other variables contain the keys of models and forges. */
const INHERITED = (
  "PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL TZ TMPDIR XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME " +
  "HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_USE_ENV_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR"
).split(" ");

export function outsideEnvironment(
  { environment }: Pick<NamedMcpServer, "environment">,
  env: Variables,
): Readonly<Record<string, string>> {
  const inherited = INHERITED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(inherited), ...environment };
}
