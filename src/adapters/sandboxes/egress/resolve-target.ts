import { lookup as dnsLookup } from "node:dns/promises";
import { normaliseAddress } from "../../../policy/access/network-address.ts";
import { formatTarget, isAllowed, parseTarget } from "../../../policy/access/network-rule.ts";
import type { NetworkRule, Target } from "../../../policy/access/network-rule.ts";
import { refuseHere } from "./private-address.ts";

/** All addresses of a name. */
export type Lookup = (name: string) => Promise<readonly string[]>;

export type Resolved =
  | { readonly kind: "open"; readonly target: Target; readonly addresses: readonly string[] }
  | { readonly kind: "denied"; readonly target: string; readonly sentence: string }
  | { readonly kind: "unreachable"; readonly sentence: string };

/** Long enough for every real name, short enough for a line on a screen. */
const SHOWN = 120;

/** From what a client asks for to the addresses that may be dialled: the only place where names become addresses. */
export async function resolveTarget(asked: string, rules: readonly NetworkRule[], lookup: Lookup): Promise<Resolved> {
  const target = parseTarget(asked);
  if (target === null) {
    const shown = showTarget(asked);
    return denied(shown, "it is not a host and port in their usual form, such as `example.com:443`");
  }
  const shown = formatTarget(target);
  if (!isAllowed(rules, target.host, target.port))
    return denied(showTarget(shown), "add it to sandbox.network to allow it");

  let addresses: readonly string[];
  try {
    addresses = normaliseAddress(target.host) === null ? await lookup(target.host) : [target.host];
  } catch (error) {
    return { kind: "unreachable", sentence: `${shown} could not be found: ${codeOf(error)}.` };
  }
  // One bad address spoils the name: whoever answers could give the good one first and the other one next time.
  for (const address of addresses) {
    const refused = refuseHere(address);
    if (refused === null) continue;
    const where = address === target.host ? "it is" : `it leads to ${showTarget(address)},`;
    return denied(showTarget(shown), `${where} ${refused}, which sandbox.network cannot allow`);
  }
  if (addresses.length === 0) return { kind: "unreachable", sentence: `${shown} has no address.` };
  return { kind: "open", target, addresses };
}

export async function lookupAll(name: string): Promise<readonly string[]> {
  const found = await dnsLookup(name, { all: true });
  return found.map(({ address }) => address);
}

/** What a stranger wrote, on one short line of plain characters. */
export function showTarget(text: string): string {
  const plain = text.slice(0, SHOWN + 1).replace(/[^\x21-\x7e]/g, "?");
  return plain.length > SHOWN ? `${plain.slice(0, SHOWN)}...` : plain;
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

function denied(target: string, why: string): Resolved {
  return { kind: "denied", target, sentence: `denied: ${target}; ${why}` };
}
