import { SECRET_PATHS, STARTUP_PATHS } from "./private-paths.ts";

// Paths that no run may use. The checks use the path alone, so it must be resolved before.

export type Right = "read" | "write";

export interface PathLimits {
  readonly right: Right;
  /** Nightshift's data directories. */
  readonly forbidden: readonly string[];
  /** Known home directories. Those in /home and similar directories are recognized without being listed. */
  readonly homes: readonly string[];
}

/** Returns why no run may use `real`, to complete a sentence about it. Null if it is allowed. */
export function refusePath(real: string, limits: PathLimits): string | null {
  return (
    refuseOwnData(real, limits.forbidden) ??
    refuseHome(real, limits.homes) ??
    refuseSecret(real, limits) ??
    refuseSystem(real, limits)
  );
}

/** Whether `outer` is `inner` or contains it. */
export function covers(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}

function refuseOwnData(real: string, forbidden: readonly string[]): string | null {
  const data = forbidden.find((each) => covers(each, real) || covers(real, each));
  if (data === undefined) return null;
  return covers(data, real)
    ? `is inside ${data}, which is Nightshift's own data`
    : `contains ${data}, which is Nightshift's own data`;
}

/** Directories whose children are home directories. */
const HOME_PARENTS = ["/home", "/Users", "/var/home", "/export/home"];

function refuseHome(real: string, homes: readonly string[]): string | null {
  const home = [...HOME_PARENTS, "/root", ...homes].find((each) => covers(real, each)) ?? childOfHomes(real);
  if (home === undefined) return null;
  return home === real
    ? "is a whole home directory: list only the folders that are needed"
    : `contains the home directory ${home}: list only the folders that are needed`;
}

function childOfHomes(real: string): string | undefined {
  return HOME_PARENTS.some((each) => covers(each, real) && real.slice(each.length + 1).split("/").length === 1)
    ? real
    : undefined;
}

function refuseSecret(real: string, { right, homes }: PathLimits): string | null {
  for (const home of homesAround(real, homes)) {
    const secret = findPlace(real, home, SECRET_PATHS);
    if (secret !== undefined) return `${describeLocation(real, secret)} keys, logins or private data are stored`;
    const started = right === "write" ? findPlace(real, home, STARTUP_PATHS) : undefined;
    if (started !== undefined) {
      return `${describeLocation(real, started)} write access would allow running programs as the owner of the home directory`;
    }
  }
  return null;
}

function homesAround(real: string, homes: readonly string[]): readonly string[] {
  const inHomes = HOME_PARENTS.filter((each) => covers(each, real)).map(
    (each) => `${each}/${real.slice(each.length + 1).split("/")[0] ?? ""}`,
  );
  return [...inHomes, "/root", ...homes].filter((home) => covers(home, real));
}

function findPlace(real: string, home: string, places: readonly string[]): string | undefined {
  return places
    .map((place) => (home === "/" ? `/${place}` : `${home}/${place}`))
    .find((place) => covers(place, real) || covers(real, place));
}

function describeLocation(real: string, place: string): string {
  if (real === place) return "is a place where";
  return covers(place, real) ? `is inside ${place}, where` : `contains ${place}, where`;
}

/** Files of the kernel, the boot loader and running services. Nothing inside may be used, not even for reading. */
const CLOSED = [
  "/boot",
  "/dev",
  "/lost+found",
  "/proc",
  "/run",
  "/sys",
  "/var/backups",
  "/var/mail",
  "/var/run",
  "/var/spool",
  "/cores",
  "/private/var/db",
  "/private/var/run",
];

/** System directories that may be read. */
const SEALED = [
  "/bin",
  "/etc",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix",
  "/sbin",
  "/snap",
  "/usr",
  "/Applications",
  "/Library",
  "/System",
  "/private/etc",
];

/** Like those, but services have their home directories here and may work in them. */
const STATE = ["/var/cache", "/var/lib", "/var/log"];

/** No run may use one of these as a whole, nor a parent of it. */
const SYSTEM = [
  ...CLOSED,
  ...SEALED,
  ...STATE,
  "/mnt",
  "/media",
  "/opt",
  "/srv",
  "/tmp",
  "/usr/local",
  "/var",
  "/var/tmp",
  "/Network",
  "/Volumes",
  "/private",
  "/private/tmp",
  "/private/var",
  "/private/var/folders",
  "/private/var/tmp",
];

const SETTINGS = ["/etc", "/private/etc"];
/** System settings without secrets that programs need. */
const PUBLIC_SETTINGS = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "fonts",
  "hosts",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "pki/ca-trust",
  "pki/tls/certs",
  "protocols",
  "resolv.conf",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];

function refuseSystem(real: string, { right, homes }: PathLimits): string | null {
  if (SYSTEM.includes(real)) return `belongs to the system: ${suggestAlternative(real, right)}`;
  const held = SYSTEM.find((each) => covers(real, each));
  if (held !== undefined) return `contains ${held}, which belongs to the system`;
  const closed = findAround(real, CLOSED);
  if (closed !== undefined) return `is inside ${closed}, which belongs to the system and is not available to any run`;
  if (right === "write") return refuseSystemWrite(real, homes);
  const settings = findAround(real, SETTINGS);
  if (settings === undefined) return null;
  const isPublic = PUBLIC_SETTINGS.some((each) => covers(`${settings}/${each}`, real));
  return isPublic ? null : `is inside ${settings}, which may contain the system's secrets`;
}

/** What may be used instead of a whole system directory. Suggests nothing that would be refused next. */
function suggestAlternative(real: string, right: Right): string {
  if (findAround(real, CLOSED) !== undefined) return "it is not available to any run";
  if (right === "write" && findAround(real, [...SEALED, ...STATE]) !== undefined)
    return "nothing in it is writable for a run";
  if (SETTINGS.includes(real)) return `it may contain secrets; list only files without secrets, such as ${real}/hosts`;
  return "list only the folders that are needed";
}

function refuseSystemWrite(real: string, homes: readonly string[]): string | null {
  const isInHome = homes.some((home) => home !== "/" && covers(home, real));
  const sealed = findAround(real, isInHome ? SEALED : [...SEALED, ...STATE]);
  return sealed === undefined ? null : `is inside ${sealed}, which belongs to the system and is read-only`;
}

function findAround(real: string, places: readonly string[]): string | undefined {
  return places.find((each) => covers(each, real));
}
