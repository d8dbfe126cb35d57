import { networkInterfaces } from "node:os";
import { normaliseAddress, refuseAddress } from "../../../policy/access/network-address.ts";

/** Returns why a run may not reach this address, to complete the sentence "it is …". Null if it may. */
export function explainForbiddenAddress(address: string, own: () => readonly string[] = ownAddresses): string | null {
  const refused = refuseAddress(address);
  if (refused !== null) return refused;
  // A public address of this machine reaches its services behind the firewall.
  return own().includes(normaliseAddress(address) ?? "") ? "an address of this machine" : null;
}

/** Read every time, because a laptop may change networks. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => normaliseAddress(address) ?? address),
  );
}
