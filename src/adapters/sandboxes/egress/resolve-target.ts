import { lookup as dnsLookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { isPrivateAddress, normaliseAddress, refuseAddress } from "../../../policy/access/network-address.ts";
import { formatTarget, isAllowed, parseTarget } from "../../../policy/access/network-rule.ts";
import type { NetworkRule, Target } from "../../../policy/access/network-rule.ts";

/** Resolves a name to all its addresses. */
export type Lookup = (name: string) => Promise<readonly string[]>;

export type Resolved =
  | { readonly kind: "open"; readonly target: Target; readonly addresses: readonly string[] }
  | { readonly kind: "denied"; readonly target: string; readonly sentence: string }
  | { readonly kind: "unreachable"; readonly sentence: string };

/** Maximum length of a shown target: long enough for real names, short enough for one line. */
const MAX_SHOWN_LENGTH = 120;

/** Resolves a requested target to the addresses that may be dialed. Names are resolved nowhere else. */
export async function resolveTarget(
  requested: string,
  { rules, privateHosts }: { readonly rules: readonly NetworkRule[]; readonly privateHosts: readonly NetworkRule[] },
  lookup: Lookup,
  own: () => readonly string[] = ownAddresses,
): Promise<Resolved> {
  const target = parseTarget(requested);
  if (target === null) {
    const shown = showTarget(requested);
    return denied(shown, "it is not a valid host and port such as `example.com:443`");
  }
  const shown = formatTarget(target);
  if (!isAllowed(rules, target.host, target.port))
    return denied(showTarget(shown), "to allow it, add it to sandbox.network and run nightshift trust");

  let addresses: readonly string[];
  try {
    addresses = normaliseAddress(target.host) === null ? await lookup(target.host) : [target.host];
  } catch (error) {
    return { kind: "unreachable", sentence: `${shown} could not be resolved: ${errorCode(error)}.` };
  }
  // One forbidden address rejects the name: a DNS server could return the allowed address first and the forbidden one later.
  const allowsPrivate = isAllowed(privateHosts, target.host, target.port);
  for (const address of addresses) {
    const refused = explainForbiddenAddress(address, { allowsPrivate, own });
    if (refused === null) continue;
    const where = address === target.host ? "it is" : `it leads to ${showTarget(address)},`;
    const remedy =
      explainForbiddenAddress(address, { allowsPrivate: true, own }) === null
        ? "; to allow it, add it to sandbox.private_hosts in your config.yaml"
        : ", which sandbox.network cannot allow";
    return denied(showTarget(shown), `${where} ${refused}${remedy}`);
  }
  if (addresses.length === 0) return { kind: "unreachable", sentence: `${shown} has no address.` };
  return { kind: "open", target, addresses };
}

export async function lookupAll(name: string): Promise<readonly string[]> {
  const found = await dnsLookup(name, { all: true });
  return found.map(({ address }) => address);
}

/** Shows untrusted text as one short line of printable characters. */
export function showTarget(text: string): string {
  const plain = text.slice(0, MAX_SHOWN_LENGTH + 1).replace(/[^\x21-\x7e]/g, "?");
  return plain.length > MAX_SHOWN_LENGTH ? `${plain.slice(0, MAX_SHOWN_LENGTH)}...` : plain;
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

function denied(target: string, why: string): Resolved {
  return { kind: "denied", target, sentence: `denied: ${target}; ${why}` };
}

/** Returns why a run may not reach this address, to complete the sentence "it is …". Null if it may. */
export function explainForbiddenAddress(
  address: string,
  { allowsPrivate = false, own = ownAddresses }: { allowsPrivate?: boolean; own?: () => readonly string[] } = {},
): string | null {
  const refused = refuseAddress(address);
  if (refused !== null && !(allowsPrivate && isPrivateAddress(address))) return refused;
  // A public address of this machine reaches its services behind the firewall.
  return own().includes(normaliseAddress(address) ?? "") ? "an address of this machine" : null;
}

/** Read every time, because a laptop may change networks. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => normaliseAddress(address) ?? address),
  );
}
