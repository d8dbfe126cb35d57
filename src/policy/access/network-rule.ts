import { normaliseAddress, refuseAddress } from "./network-address.ts";

/** One line of `sandbox.network`: whom a run may reach, and there only this port. */
export interface NetworkRule {
  /** In lower case, without a final dot, names of other scripts in their ASCII form. */
  readonly host: string;
  /** `*.host`: every name below it, and not itself. */
  readonly isSuffix: boolean;
  readonly port: number;
}

export const DEFAULT_PORT = 443;

const FORM =
  "a host, optionally with a port, such as `example.com`, `example.com:8443`, `*.example.com` or `[2600::1]`; no scheme, path or range";

const HOST_AND_PORT = /^(.*):([^:\]]*)$/s;

/** All rules, or a sentence for each that cannot be one. */
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

/** The rule, or what is allowed instead: the end of the sentence "found …; allowed: …". */
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

export function isAllowed(rules: readonly NetworkRule[], host: string, port: number): boolean {
  const name = normaliseAddress(host) ?? normaliseHost(host);
  if (name === null) return false;
  return rules.some(
    (rule) => rule.port === port && (rule.isSuffix ? name.endsWith(`.${rule.host}`) : name === rule.host),
  );
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** `host:port` as a client asks for it, both always named; null when it is anything else. */
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
 * One form for each host, an IPv6 address without its brackets. Null for what is no host, and for addresses in disguise:
 * `2130706433`, `0x7f.1` and `017700000001` are all 127.0.0.1 to some program or other.
 */
function normaliseHost(text: string): string | null {
  const bracketed = /^\[(.*)\]$/s.exec(text)?.[1];
  if (bracketed !== undefined) return bracketed.includes(":") ? normaliseAddress(bracketed) : null;
  const bare = text.endsWith(".") ? text.slice(0, -1) : text;
  // The parser of URLs knows how to write foreign names, but would read more into other characters than a name.
  if (bare.length > 253 || !/^[\p{L}\p{N}\p{M}_.-]+$/u.test(bare) || !URL.canParse(`http://${bare}`)) return null;
  const host = new URL(`http://${bare}`).hostname;
  if (normaliseAddress(host) !== null) return host === bare ? host : null;
  return host.length <= 253 && host.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label)) ? host : null;
}

function parsePort(text: string): number | null {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}

/** The addresses behind a name are looked at when a run asks for it. */
function refuseRule(host: string, isSuffix: boolean): string | null {
  const isAddress = normaliseAddress(host) !== null;
  if (isSuffix && isAddress) return "`*.` before a name, not before an address";
  if (isSuffix && !host.includes(".")) return "`*.` before a name of two parts or more, such as `*.example.com`";
  const refused = isAddress ? refuseAddress(host) : null;
  if (refused === null && host !== "localhost" && !host.endsWith(".localhost")) return null;
  return `hosts of the public internet; this is ${refused ?? "a loopback name"}, which no run may reach`;
}

function quote(text: string): string {
  return `\`${JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text).slice(1, -1)}\``;
}
