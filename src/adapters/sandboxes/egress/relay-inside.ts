import { fileURLToPath } from "node:url";

/** The ports of relay.ts, which cannot import them. */
const EGRESS_URL = "http://127.0.0.1:3128";
const GATEWAY_URL = "http://127.0.0.1:3129";

/** The relay's program, beside this file: as TypeScript in a checkout, as JavaScript in the package. */
export function relayFile(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./relay.${extension}`, import.meta.url));
}

/** What programs inside need to know of the ways out. Each asks for another name; those that know none stay inside. */
export function proxyEnvironment(hasEgress: boolean, hasGateway: boolean): Readonly<Record<string, string>> {
  return { ...(hasEgress && EGRESS), ...(hasGateway && { NIGHTSHIFT_GATEWAY_URL: GATEWAY_URL }) };
}

// Not ALL_PROXY: it would send what is neither http nor https to a proxy that is no use for it.
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
