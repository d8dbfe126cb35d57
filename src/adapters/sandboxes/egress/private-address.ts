import { networkInterfaces } from "node:os";
import { normaliseAddress, refuseAddress } from "../../../policy/access/network-address.ts";

/** Why a run may not reach this address, as the end of "it is …"; null when it may. */
export function refuseHere(address: string, own: () => readonly string[] = ownAddresses): string | null {
  const refused = refuseAddress(address);
  if (refused !== null) return refused;
  // A public address of this machine leads to its services, past the firewall in front of it.
  return own().includes(normaliseAddress(address) ?? "") ? "an address of this machine" : null;
}

/** Read each time: a laptop changes networks during a night. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).map(({ address }) => normaliseAddress(address) ?? address),
  );
}
