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
  const local = [bracket(address.host), ...LOOPBACK].map((name) => withPort(name, address.port));
  const proxy = address.publicUrl === null ? null : new URL(address.publicUrl);
  const hint = `Use ${baseUrl(address)}.`;
  const host = request.headers.get("host");
  if (host === null || ![...local, proxy?.host].includes(host.toLowerCase()))
    throw new RequestError(403, `The Host ${host === null ? "is missing" : `"${host}" is not this daemon`}.`, { hint });
  const origin = request.headers.get("origin");
  const origins = [...local.map((name) => `http://${name}`), proxy?.origin];
  if (origin !== null && !origins.includes(origin.toLowerCase()))
    throw new RequestError(403, `Requests from the page "${origin}" are not accepted.`, { hint });
}

export function baseUrl(address: Address): string {
  return address.publicUrl ?? `http://${bracket(address.host)}:${address.port}`;
}

function bracket(host: string): string {
  return (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host).toLowerCase();
}

// Host and Origin omit port 80.
function withPort(host: string, port: number): string {
  return port === 80 ? host : `${host}:${port}`;
}
