import { RequestError } from "./problem.ts";

/** Where the daemon is reached. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** The address people use where TLS or a declared proxy stands in front, such as `https://night.example.com`; else null. */
  readonly publicUrl: string | null;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Loopback is no guard: a web page can point its own name at 127.0.0.1 (then Host is wrong) or send requests across
 * (then Origin is wrong). Throws 403.
 */
export function checkOrigin(request: Request, address: Address): void {
  const host = request.headers.get("host");
  if (host === null || !knownHosts(address).includes(host.toLowerCase())) {
    throw new RequestError(403, `The Host ${host === null ? "is missing" : `"${host}" is not this daemon`}.`, {
      hint: `Use ${baseUrl(address)}.`,
    });
  }
  const origin = request.headers.get("origin");
  if (origin !== null && !knownOrigins(address).includes(origin.toLowerCase())) {
    throw new RequestError(403, `Requests from the page "${origin}" are not accepted.`, {
      hint: `Use ${baseUrl(address)}.`,
    });
  }
}

export function baseUrl(address: Address): string {
  return address.publicUrl ?? `http://${bracket(address.host)}:${address.port}`;
}

function knownHosts(address: Address): string[] {
  const local = [bracket(address.host), ...LOOPBACK].map((host) => withPort(host, address.port));
  return address.publicUrl === null ? local : [...local, new URL(address.publicUrl).host];
}

function knownOrigins(address: Address): string[] {
  const local = [bracket(address.host), ...LOOPBACK].map((host) => `http://${withPort(host, address.port)}`);
  return address.publicUrl === null ? local : [...local, new URL(address.publicUrl).origin];
}

function bracket(host: string): string {
  return (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host).toLowerCase();
}

// Port 80 is left out of both headers.
function withPort(host: string, port: number): string {
  return port === 80 ? host : `${host}:${port}`;
}
