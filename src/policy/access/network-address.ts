/**
 * Which addresses are open to a run: those of the public internet alone. Everything that leads back to this machine, to
 * its network or to a cloud's own services is named here, and in IPv6 everything that can carry such an address inside.
 */

type Range = readonly [first: string, bits: number, what: string];

const IPV4_RANGES: readonly Range[] = [
  ["0.0.0.0", 8, "an unspecified address"],
  ["10.0.0.0", 8, "a private address"],
  ["100.64.0.0", 10, "an address of a provider's inner network"],
  ["127.0.0.0", 8, "a loopback address"],
  ["169.254.0.0", 16, "a link-local address"],
  ["172.16.0.0", 12, "a private address"],
  ["192.0.0.0", 24, "a reserved address"],
  ["192.0.2.0", 24, "a reserved address"],
  ["192.88.99.0", 24, "a reserved address"],
  ["192.168.0.0", 16, "a private address"],
  ["198.18.0.0", 15, "a reserved address"],
  ["198.51.100.0", 24, "a reserved address"],
  ["203.0.113.0", 24, "a reserved address"],
  // Looks public, and answers only machines of one cloud, with what is meant for the machine itself.
  ["168.63.129.16", 32, "an address of a cloud's own services"],
  ["224.0.0.0", 4, "a multicast address"],
  ["240.0.0.0", 4, "a reserved address"],
];

// The last one turns the list round: outside of 2000::/3 nothing is public.
const IPV6_RANGES: readonly Range[] = [
  ["2001::", 23, "a reserved address"],
  ["2001:db8::", 32, "a reserved address"],
  ["2002::", 16, "an address that carries another one"],
  ["3fff::", 20, "a reserved address"],
  ["::", 128, "an unspecified address"],
  ["::1", 128, "a loopback address"],
  ["::", 96, "an address that carries another one"],
  ["::ffff:0:0", 96, "an address that carries another one"],
  ["64:ff9b::", 96, "an address that carries another one"],
  ["64:ff9b:1::", 48, "an address that carries another one"],
  ["fc00::", 7, "a private address"],
  ["fe80::", 10, "a link-local address"],
  ["ff00::", 8, "a multicast address"],
];

/** Why no run may reach this address, as the end of "it is …"; null for a public one. */
export function refuseAddress(address: string): string | null {
  const bytes = parseAddress(address);
  if (bytes === null) return "no address in its usual form";
  const ranges = bytes.length === 4 ? IPV4_RANGES : IPV6_RANGES;
  const range = ranges.find(([first, bits]) => isWithin(bytes, first, bits));
  if (range !== undefined) return range[2];
  return bytes.length === 16 && !isWithin(bytes, "2000::", 3) ? "a reserved address" : null;
}

/** The usual form of an IPv4 or IPv6 address, without brackets; null for all else, and for IPv4 in any other notation. */
export function normaliseAddress(text: string): string | null {
  if (/^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(text)) {
    return text.split(".").every((part) => Number(part) <= 255) ? text : null;
  }
  if (!/^[0-9a-f:.]{2,45}$/i.test(text) || !text.includes(":")) return null;
  const url = `http://[${text}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : null;
}

/** Four bytes or sixteen. */
function parseAddress(text: string): readonly number[] | null {
  const address = normaliseAddress(text);
  if (address === null) return null;
  if (!address.includes(":")) return address.split(".").map(Number);
  const [head = [], tail] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const groups = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill("0"), ...tail];
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}

function isWithin(bytes: readonly number[], first: string, bits: number): boolean {
  return (parseAddress(first) ?? []).every((byte, index) => {
    const wanted = Math.min(8, Math.max(0, bits - index * 8));
    return (byte ^ (bytes[index] ?? 0)) >> (8 - wanted) === 0;
  });
}
