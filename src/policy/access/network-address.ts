/**
 * Runs may only reach public internet addresses. These lists contain everything that leads to this machine, its network or a
 * cloud's internal services, and all IPv6 ranges that can embed such an address.
 */

type Range = readonly [first: string, bits: number, what: string];

const IPV4_RANGES: readonly Range[] = [
  ["0.0.0.0", 8, "an unspecified address"],
  ["10.0.0.0", 8, "a private address"],
  ["100.64.0.0", 10, "an address of a provider's internal network"],
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
  // Looks public, but is a cloud's internal service for its machines.
  ["168.63.129.16", 32, "an address of a cloud's internal services"],
  ["224.0.0.0", 4, "a multicast address"],
  ["240.0.0.0", 4, "a reserved address"],
];

// Additionally, everything outside 2000::/3 is not public.
const IPV6_RANGES: readonly Range[] = [
  ["2001::", 23, "a reserved address"],
  ["2001:db8::", 32, "a reserved address"],
  ["2002::", 16, "an address that embeds another one"],
  ["3fff::", 20, "a reserved address"],
  ["::", 128, "an unspecified address"],
  ["::1", 128, "a loopback address"],
  ["::", 96, "an address that embeds another one"],
  ["::ffff:0:0", 96, "an address that embeds another one"],
  ["64:ff9b::", 96, "an address that embeds another one"],
  ["64:ff9b:1::", 48, "an address that embeds another one"],
  ["fc00::", 7, "a private address"],
  ["fe80::", 10, "a link-local address"],
  ["ff00::", 8, "a multicast address"],
];

/** Returns why no run may reach this address, to complete "it is …". Null for a public one. */
export function refuseAddress(address: string): string | null {
  const bytes = parseAddress(address);
  if (bytes === null) return "not a valid address";
  const ranges = bytes.length === 4 ? IPV4_RANGES : IPV6_RANGES;
  const range = ranges.find(([first, bits]) => isWithin(bytes, first, bits));
  if (range !== undefined) return range[2];
  return bytes.length === 16 && !isWithin(bytes, "2000::", 3) ? "a reserved address" : null;
}

/** True for addresses of private networks, which `sandbox.private_hosts` can allow. Loopback, link-local and cloud addresses are not among them. */
export function isPrivateAddress(address: string): boolean {
  return ["a private address", "an address of a provider's internal network"].includes(refuseAddress(address) ?? "");
}

/** Returns the canonical form of an IPv4 or IPv6 address without brackets. Null for anything else, including unusual IPv4 notations. */
export function normaliseAddress(text: string): string | null {
  if (/^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(text)) {
    return text.split(".").every((part) => Number(part) <= 255) ? text : null;
  }
  if (!/^[0-9a-f:.]{2,45}$/i.test(text) || !text.includes(":")) return null;
  const url = `http://[${text}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : null;
}

/** Returns four or sixteen bytes. */
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
