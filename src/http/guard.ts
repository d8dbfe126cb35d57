import { RequestError } from "./problem.ts";

/** Address of the daemon. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** Public address if there is a TLS proxy in front, such as `https://night.example.com`, otherwise null. */
  readonly publicUrl: string | null;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Listening on loopback does not protect from web pages: a page can resolve its own name to 127.0.0.1 (then Host is wrong)
 * or send cross-origin requests (then Origin is wrong). Throws a RequestError with status 403.
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

// Host and Origin omit port 80.
function withPort(host: string, port: number): string {
  return port === 80 ? host : `${host}:${port}`;
}
