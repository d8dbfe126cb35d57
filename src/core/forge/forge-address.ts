/** How the addresses of one kind of forge are made. */
export interface ForgeSite {
  /** The public forge of this kind, which needs no `forge.url`; null where there is none. */
  readonly publicUrl: string | null;
  /** The public forge also offers git over ssh here, for networks that only allow port 443. */
  readonly sshHost: string | null;
  /** Whether a host is such a forge, as far as its name tells. */
  isHost(host: string): boolean;
  apiUrl(at: { readonly web: string; readonly host: string }): string;
  /** Most names in the path of a project. */
  readonly maxPathParts: number;
  /** How a project's path is written, as a sentence. */
  readonly pathHint: string;
  /** Matches the part of a change request's address after the project, up to its number. */
  readonly requestPath: RegExp;
  /** Git's name of the newest commit of a change request. */
  headRef(number: number): string;
}

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

const WEB_SCHEMES = ["http:", "https:", "git:"];
const SSH_SCHEMES = ["ssh:", "git+ssh:", "ssh+git:"];

/** Returns null if the URL is not http(s). */
export function forgeAddress(site: ForgeSite, url: string | null): ForgeAddress | null {
  const parsed = URL.parse(url ?? site.publicUrl ?? "");
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.host === "") return null;
  const host = withoutServiceName(site, parsed.host);
  const prefix = trimSlashes(parsed.pathname.replace(/\/api\/v[34]\/*$/, ""));
  const web = `${parsed.protocol}//${host}${prefix === "" ? "" : `/${prefix}`}`;
  return { web, api: site.apiUrl({ web, host }), host, prefix: prefix === "" ? "" : `/${prefix}` };
}

/**
 * Returns the path of a project at its forge from the git remote. Null if the remote is a file, another server, or not a
 * valid project. A host without a dot is an alias in the user's ssh configuration. We cannot know its host, so only its
 * path is used.
 */
export function findProjectPath(remote: string, site: ForgeSite, address: ForgeAddress): string | null {
  const place = readRemote(remote);
  if (place === null) return null;
  if (place.ssh) return isSshHost(place.host, site, address) ? checkProjectPath(place.path, site) : null;
  if (place.host !== address.host) return null;
  const path = `/${place.path}`;
  return path.startsWith(`${address.prefix}/`) ? checkProjectPath(path.slice(address.prefix.length), site) : null;
}

/** The number in the address of a change request of this project. Null for every other address. */
export function findRequestNumber(
  url: string,
  { site, address, project }: { readonly site: ForgeSite; readonly address: ForgeAddress; readonly project: string },
): number | null {
  const parsed = parseUrl(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null;
  if (withoutServiceName(site, parsed.host) !== address.host) return null;
  const start = `${address.prefix}/${project}/`.toLowerCase();
  const path = decode(parsed.pathname) ?? "";
  if (!path.toLowerCase().startsWith(start)) return null;
  const number = site.requestPath.exec(path.slice(start.length))?.[1];
  return number === undefined ? null : Number(number);
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

function isSshHost(host: string, site: ForgeSite, address: ForgeAddress): boolean {
  const forge = address.host.replace(/:\d+$/, "");
  if (!host.includes(".") && !host.includes(":")) return true;
  return host === forge || host.endsWith(`.${forge}`) || (host === site.sshHost && forge === publicHost(site));
}

/** Returns the path without surrounding slashes and `.git`. Null if it is not a valid project path. */
export function checkProjectPath(path: string, site: Pick<ForgeSite, "maxPathParts">): string | null {
  const trimmed = trimSlashes(path).replace(/\.git$/, "");
  const parts = trimmed.split("/");
  if (parts.length < 2 || parts.length > site.maxPathParts) return null;
  // No leading dash: `/-/` is reserved for the forge's own pages.
  const plain = parts.every((part) => /^[A-Za-z0-9_.][A-Za-z0-9_.+-]{0,254}$/.test(part) && !/^\.{1,2}$/.test(part));
  return plain ? parts.join("/") : null;
}

/** The host of the public forge; null where there is none. */
export function publicHost({ publicUrl }: ForgeSite): string | null {
  return publicUrl === null ? null : new URL(publicUrl).host;
}

function withoutServiceName(site: ForgeSite, host: string): string {
  const small = host.toLowerCase();
  const known = publicHost(site);
  if (known === null) return small;
  return small === `www.${known}` || small === `api.${known}` ? known : small;
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

/** Whether the remote is a URL that people could open or clone, not a local folder. */
export function isAddress(remote: string): boolean {
  return /^(?:https?|ssh|git):\/\//i.test(remote) || /^[^/\\]+@[^/\\:]+:/.test(remote);
}
