import type { Address } from "./guard.ts";

/**
 * Browsers send the cookies of a host to all of its ports, so the name contains the port: a second daemon, such as the one
 * of the demo, must not sign a person out of the first. Over https, the prefix `__Host-` prevents that another name of the
 * same domain sets the cookie.
 */
function cookieName({ port }: Address, isSecure: boolean): string {
  return `${isSecure ? "__Host-" : ""}nightshift_${port}`;
}

export function readSessionCookie(request: Request, address: Address): string | null {
  const cookies = (request.headers.get("cookie") ?? "").split(/;\s*/);
  // Some proxies replace the Host by our own. A request of a browser to the public address must have the secure cookie.
  const names = [true, false].filter((isSecure) => isSecure || !isPublic(request, address));
  for (const isSecure of names) {
    const prefix = `${cookieName(address, isSecure)}=`;
    const found = cookies.find((cookie) => cookie.startsWith(prefix));
    if (found !== undefined) return found.slice(prefix.length);
  }
  return null;
}

/** The value of `Set-Cookie`. An age of 0 removes the cookie. */
export function sessionCookie(request: Request, address: Address, value: string, maxAgeMs: number): string {
  const isSecure = isPublic(request, address);
  const age = Math.max(0, Math.floor(maxAgeMs / 1000));
  const cookie = `${cookieName(address, isSecure)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict`;
  return isSecure ? `${cookie}; Secure` : cookie;
}

/** Whether the request was sent to the https address of the proxy. */
function isPublic(request: Request, { publicUrl }: Address): boolean {
  if (publicUrl?.startsWith("https://") !== true) return false;
  const { host, origin } = new URL(publicUrl);
  return request.headers.get("host")?.toLowerCase() === host || request.headers.get("origin")?.toLowerCase() === origin;
}
