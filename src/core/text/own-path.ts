const ORIGIN = "http://nightshift.invalid";

/** Returns the path if it leads to this page and nowhere else, otherwise null. A redirect must not leave the page. */
export function ownPath(path: string | null): string | null {
  // Browsers read `\` as `/`, and ignore tabs and line breaks, so `/\t/evil.example` would lead to another host.
  if (path === null || !path.startsWith("/") || /[\\\p{Cc}]/u.test(path) || path.startsWith("//")) return null;
  if (!URL.canParse(path, ORIGIN)) return null;
  const { origin, pathname, search, hash } = new URL(path, ORIGIN);
  return origin === ORIGIN && !pathname.startsWith("//") ? `${pathname}${search}${hash}` : null;
}
