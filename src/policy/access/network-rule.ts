import { isPrivateAddress, normaliseAddress, refuseAddress } from "./network-address.ts";

/** One entry of `sandbox.network`: a host and port that a run may reach. */
export interface NetworkRule {
  /** In lower case, without a final dot; international names in their ASCII form. */
  readonly host: string;
  /** `*.host`: every name below it, but not the host itself. */
  readonly isSuffix: boolean;
  readonly port: number;
}

export const DEFAULT_PORT = 443;

const FORM =
  "a host, optionally with a port, such as `example.com`, `example.com:8443`, `*.example.com` or `[2600::1]`; no scheme, path or range";

const PRIVATE_FORM =
  "one host of your network and its port, such as `npm.corp.example:443` or `10.0.0.5:443`; no loopback, link-local or cloud metadata address";

const HOST_AND_PORT = /^(.*):([^:\]]*)$/s;

/** Parses all rules, and returns one message per invalid rule. */
export function parseNetworkRules(texts: readonly string[]): {
  readonly rules: readonly NetworkRule[];
  readonly problems: readonly string[];
} {
  const rules: NetworkRule[] = [];
  const problems: string[] = [];
  for (const text of texts) {
    const rule = parseNetworkRule(text);
    if (typeof rule === "string") problems.push(`sandbox.network: found ${quote(text)}; allowed: ${rule}.`);
    else rules.push(rule);
  }
  return { rules, problems };
}

/** Returns the rule, or what is allowed instead, to complete "found …; allowed: …". */
export function parseNetworkRule(text: string): NetworkRule | string {
  const isSuffix = text.startsWith("*.");
  const rest = isSuffix ? text.slice(2) : text;
  if (rest.includes("*")) return "`*.` at the beginning, and nowhere else a `*`";
  if (rest.includes("/")) return FORM;
  const [, written = rest, portText] = HOST_AND_PORT.exec(rest) ?? [];
  const port = portText === undefined ? DEFAULT_PORT : parsePort(portText);
  if (port === null) return "a port from 1 to 65535 after the `:`";
  const host = normaliseHost(written);
  if (host === null) return FORM;
  return refuseRule(host, isSuffix) ?? { host, isSuffix, port };
}

/** One entry of `sandbox.private_hosts`: exactly one host and port. */
export function parsePrivateHost(text: string): NetworkRule | string {
  const rule = parseNetworkRule(text);
  const hasPort = /:\d+$/.test(text.replace(/^\[.*\]/s, ""));
  return typeof rule === "string" || rule.isSuffix || !hasPort ? PRIVATE_FORM : rule;
}

export function isAllowed(rules: readonly NetworkRule[], host: string, port: number): boolean {
  const name = normaliseAddress(host) ?? normaliseHost(host);
  if (name === null) return false;
  return rules.some(
    (rule) => rule.port === port && (rule.isSuffix ? name.endsWith(`.${rule.host}`) : name === rule.host),
  );
}

/** Whether the rules already allow everything that `text` would allow. */
export function coversRule(rules: readonly NetworkRule[], text: string): boolean {
  const wanted = parseNetworkRule(text);
  if (typeof wanted === "string") return false;
  if (!wanted.isSuffix) return isAllowed(rules, wanted.host, wanted.port);
  return rules.some(
    ({ host, port, isSuffix }) =>
      isSuffix && port === wanted.port && (host === wanted.host || wanted.host.endsWith(`.${host}`)),
  );
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Parses a client's `host:port`; both are required. Returns null for anything else. */
export function parseTarget(text: string): Target | null {
  const [, written = "", portText = ""] = HOST_AND_PORT.exec(text) ?? [];
  const host = normaliseHost(written);
  const port = parsePort(portText);
  return host === null || port === null ? null : { host, port };
}

export function formatTarget({ host, port }: Target): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Returns one canonical form per host, IPv6 addresses without brackets. Null for invalid hosts and for disguised addresses:
 * some programs read `2130706433`, `0x7f.1` and `017700000001` as 127.0.0.1.
 */
function normaliseHost(text: string): string | null {
  const bracketed = /^\[(.*)\]$/s.exec(text)?.[1];
  if (bracketed !== undefined) return bracketed.includes(":") ? normaliseAddress(bracketed) : null;
  const bare = text.endsWith(".") ? text.slice(0, -1) : text;
  // The URL parser converts international names, but would give special meaning to other characters.
  if (bare.length > 253 || !/^[\p{L}\p{N}\p{M}_.-]+$/u.test(bare) || !URL.canParse(`http://${bare}`)) return null;
  const host = new URL(`http://${bare}`).hostname;
  if (normaliseAddress(host) !== null) return host === bare ? host : null;
  return host.length <= 253 && host.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label)) ? host : null;
}

function parsePort(text: string): number | null {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}

/** Addresses behind a name are checked when a run connects. */
function refuseRule(host: string, isSuffix: boolean): string | null {
  const isAddress = normaliseAddress(host) !== null;
  if (isSuffix && isAddress) return "`*.` before a name, not before an address";
  if (isSuffix && !host.includes(".")) return "`*.` before a name of two parts or more, such as `*.example.com`";
  // The user's own settings decide about private addresses when a run connects.
  const refused = isAddress && !isPrivateAddress(host) ? refuseAddress(host) : null;
  if (refused === null && host !== "localhost" && !host.endsWith(".localhost")) return null;
  return `public internet hosts; this is ${refused ?? "a loopback name"}, which no run may reach`;
}

function quote(text: string): string {
  return `\`${JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text).slice(1, -1)}\``;
}
