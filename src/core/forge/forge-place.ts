export type ForgeKind = "github" | "gitlab";

/** The addresses of a forge. */
export interface ForgeAddress {
  /** Base URL of the web pages without a trailing slash: `https://host/prefix`. */
  readonly web: string;
  readonly api: string;
  /** `host` or `host:port`, in lower case. */
  readonly host: string;
  /** Path before the project in web addresses: "" or `/prefix`. */
  readonly prefix: string;
}

const PUBLIC: Readonly<Record<ForgeKind, string>> = { github: "https://github.com", gitlab: "https://gitlab.com" };
/** The public forges also offer git over ssh here, for networks that only allow port 443. */
const PUBLIC_SSH: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
};
const MAX_PATH_PARTS: Readonly<Record<ForgeKind, number>> = { github: 2, gitlab: 21 };
const WEB_SCHEMES = ["http:", "https:", "git:"];
const SSH_SCHEMES = ["ssh:", "git+ssh:", "ssh+git:"];

/** Returns null if the URL is not http(s). */
export function forgeAddress(kind: ForgeKind, url: string | null): ForgeAddress | null {
  const parsed = URL.parse(url ?? PUBLIC[kind]);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.host === "") return null;
  const host = publicHost(kind, parsed.host);
  const prefix = trimSlashes(parsed.pathname.replace(/\/api\/v[34]\/*$/, ""));
  const web = `${parsed.protocol}//${host}${prefix === "" ? "" : `/${prefix}`}`;
  return { web, api: apiOf(kind, { web, host }), host, prefix: prefix === "" ? "" : `/${prefix}` };
}

/**
 * Returns the path of a project at its forge from the git remote. Null if the remote is a file, another server, or not a
 * valid project. A host without a dot is an alias in the user's ssh configuration. We cannot know its host, so only its
 * path is used.
 */
export function findProjectPath(remote: string, kind: ForgeKind, address: ForgeAddress): string | null {
  const place = readRemote(remote);
  if (place === null) return null;
  if (place.ssh) return isSshHost(place.host, address) ? checkProjectPath(place.path, kind) : null;
  if (place.host !== address.host) return null;
  const path = `/${place.path}`;
  return path.startsWith(`${address.prefix}/`) ? checkProjectPath(path.slice(address.prefix.length), kind) : null;
}

/** Whether git over https to this remote connects to the forge itself. Only then may the token be sent. */
export function isForgeRemote(remote: string, address: ForgeAddress): boolean {
  const url = parseUrl(remote);
  const web = URL.parse(address.web);
  if (url === null || web === null || url.password !== "") return false;
  return url.protocol === web.protocol && url.host === web.host && url.pathname.startsWith(`${address.prefix}/`);
}

interface ParsedRemote {
  readonly ssh: boolean;
  readonly host: string;
  readonly path: string;
}

function readRemote(remote: string): ParsedRemote | null {
  if (/^-|[\s\u0000-\u001f\\]/.test(remote)) return null;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(remote)) return readUrl(remote);
  // Like git: `host:path` is ssh, unless a slash comes first. A single letter is a Windows drive.
  const scp = /^(?:[^@/:]+@)?(\[[^\]]+\]|[^/:@[\]]{2,}):(.+)$/.exec(remote);
  if (scp === null) return null;
  const [, host = "", path = ""] = scp;
  return { ssh: true, host: bareHost(host), path: trimSlashes(path) };
}

function readUrl(remote: string): ParsedRemote | null {
  const url = parseUrl(remote);
  if (url === null || url.search !== "" || url.hash !== "") return null;
  const ssh = SSH_SCHEMES.includes(url.protocol);
  if (!ssh && !WEB_SCHEMES.includes(url.protocol)) return null;
  const path = decode(url.pathname);
  if (path === null || url.host === "") return null;
  return { ssh, host: ssh ? bareHost(url.hostname) : url.host.toLowerCase(), path: trimSlashes(path) };
}

function parseUrl(remote: string): URL | null {
  // `URL` normalizes dots and backslashes in paths. We do not accept remotes that need it.
  if (/\/\.{1,2}(\/|$)|\\/.test(remote)) return null;
  return URL.parse(remote);
}

/** Host without brackets and port, because ssh may use any port. */
function bareHost(host: string): string {
  const inside = /^\[(.*)\]$/.exec(host)?.[1] ?? host;
  return (/^([^:]+):\d+$/.exec(inside)?.[1] ?? inside).toLowerCase();
}

function isSshHost(host: string, address: ForgeAddress): boolean {
  const forge = address.host.replace(/:\d+$/, "");
  if (!host.includes(".") && !host.includes(":")) return true;
  return host === forge || host.endsWith(`.${forge}`) || PUBLIC_SSH[host] === forge;
}

/** Returns the path without surrounding slashes and `.git`. Null if it is not a valid project path. */
export function checkProjectPath(path: string, kind: ForgeKind): string | null {
  const trimmed = trimSlashes(path).replace(/\.git$/, "");
  const parts = trimmed.split("/");
  if (parts.length < 2 || parts.length > MAX_PATH_PARTS[kind]) return null;
  // No leading dash: `/-/` is reserved for the forge's own pages.
  const plain = parts.every((part) => /^[A-Za-z0-9_.][A-Za-z0-9_.+-]{0,254}$/.test(part) && !/^\.{1,2}$/.test(part));
  return plain ? parts.join("/") : null;
}

function publicHost(kind: ForgeKind, host: string): string {
  const small = host.toLowerCase();
  const known = new URL(PUBLIC[kind]).host;
  return small === `www.${known}` || small === `api.${known}` ? known : small;
}

function apiOf(kind: ForgeKind, { web, host }: { readonly web: string; readonly host: string }): string {
  if (kind === "gitlab") return `${web}/api/v4`;
  // GitHub's own hosts have an API host; GitHub Enterprise Server uses a path.
  if (host === "github.com" || host.endsWith(".ghe.com")) return `https://api.${host}`;
  return `${web}/api/v3`;
}

function trimSlashes(text: string): string {
  return text.replace(/^\/+/, "").replace(/\/+$/, "");
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
