import { fileURLToPath } from "node:url";

/** Must match the ports in relay.ts, which cannot import anything. */
const EGRESS_URL = "http://127.0.0.1:3128";
const GATEWAY_URL = "http://127.0.0.1:3129";

/** The relay program next to this file: TypeScript in a checkout, JavaScript in the package. */
export function relayFile(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./relay.${extension}`, import.meta.url));
}

/** Proxy environment variables. Programs read different names; those that read none have no network. */
export function proxyEnvironment(hasEgress: boolean, hasGateway: boolean): Readonly<Record<string, string>> {
  return { ...(hasEgress && EGRESS), ...(hasGateway && { NIGHTSHIFT_GATEWAY_URL: GATEWAY_URL }) };
}

// Without ALL_PROXY, which would send protocols other than http and https to a proxy that cannot handle them.
const LOCAL = "127.0.0.1,localhost,::1";
const EGRESS: Readonly<Record<string, string>> = {
  HTTP_PROXY: EGRESS_URL,
  http_proxy: EGRESS_URL,
  HTTPS_PROXY: EGRESS_URL,
  https_proxy: EGRESS_URL,
  NO_PROXY: LOCAL,
  no_proxy: LOCAL,
  npm_config_proxy: EGRESS_URL,
  npm_config_https_proxy: EGRESS_URL,
  npm_config_noproxy: LOCAL,
};
