import { SECRET_PLACES, STARTED_PLACES } from "./private-places.ts";

/** Which paths no run may have, whoever asks for them. By the path alone: it must have been resolved before. */

export type Right = "read" | "write";

export interface PathLimits {
  readonly right: Right;
  /** Nightshift's data. */
  readonly forbidden: readonly string[];
  /** Home directories that are known; those in /home and the like need not be named. */
  readonly homes: readonly string[];
}

/** Why no run may have `real`, as the end of a sentence about it; null when one may. */
export function refusePath(real: string, limits: PathLimits): string | null {
  return (
    refuseOwnData(real, limits.forbidden) ??
    refuseHome(real, limits.homes) ??
    refuseSecret(real, limits) ??
    refuseSystem(real, limits)
  );
}

/** Whether `outer` is `inner` or holds it. */
export function covers(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}

function refuseOwnData(real: string, forbidden: readonly string[]): string | null {
  const data = forbidden.find((each) => covers(each, real) || covers(real, each));
  if (data === undefined) return null;
  return covers(data, real)
    ? `lies in ${data}, which is Nightshift's own data`
    : `holds ${data}, which is Nightshift's own data`;
}

/** Directories whose every child is somebody's home. */
const HOMES_OF_ALL = ["/home", "/Users", "/var/home", "/export/home"];

function refuseHome(real: string, homes: readonly string[]): string | null {
  const home = [...HOMES_OF_ALL, "/root", ...homes].find((each) => covers(real, each)) ?? childOfHomes(real);
  if (home === undefined) return null;
  return home === real
    ? "is a home directory as a whole: name the folders in it that are needed"
    : `holds the home directory ${home}: name the folders that are needed`;
}

function childOfHomes(real: string): string | undefined {
  return HOMES_OF_ALL.some((each) => covers(each, real) && real.slice(each.length + 1).split("/").length === 1)
    ? real
    : undefined;
}

function refuseSecret(real: string, { right, homes }: PathLimits): string | null {
  for (const home of homesAround(real, homes)) {
    const secret = findPlace(real, home, SECRET_PLACES);
    if (secret !== undefined) return `${placeWhere(real, secret)} keys, logins or private data are kept`;
    const started = right === "write" ? findPlace(real, home, STARTED_PLACES) : undefined;
    if (started !== undefined) {
      return `${placeWhere(real, started)} whoever writes can run programs as the person whose home it is`;
    }
  }
  return null;
}

function homesAround(real: string, homes: readonly string[]): readonly string[] {
  const inHomes = HOMES_OF_ALL.filter((each) => covers(each, real)).map(
    (each) => `${each}/${real.slice(each.length + 1).split("/")[0] ?? ""}`,
  );
  return [...inHomes, "/root", ...homes].filter((home) => covers(home, real));
}

function findPlace(real: string, home: string, places: readonly string[]): string | undefined {
  return places
    .map((place) => (home === "/" ? `/${place}` : `${home}/${place}`))
    .find((place) => covers(place, real) || covers(real, place));
}

function placeWhere(real: string, place: string): string {
  if (real === place) return "is a place where";
  return covers(place, real) ? `lies in ${place}, where` : `holds ${place}, where`;
}

/** No run gets one of these as a whole, nor what holds one. */
const SYSTEM = [
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/lost+found",
  "/mnt",
  "/media",
  "/nix",
  "/opt",
  "/proc",
  "/run",
  "/sbin",
  "/snap",
  "/srv",
  "/sys",
  "/tmp",
  "/usr",
  "/usr/local",
  "/var",
  "/var/cache",
  "/var/lib",
  "/var/log",
  "/var/run",
  "/var/spool",
  "/var/tmp",
  "/Applications",
  "/Library",
  "/Network",
  "/System",
  "/Volumes",
  "/cores",
  "/private",
  "/private/etc",
  "/private/tmp",
  "/private/var",
  "/private/var/folders",
  "/private/var/run",
  "/private/var/tmp",
];

/** The kernel's, the boot loader's and the running services' files: nothing inside is for a run, not even to read. */
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

/** May be read, and belongs to the system all the same. */
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

/** As sealed as those, but services have their homes here and may work in them. */
const STATE = ["/var/cache", "/var/lib", "/var/log"];

const SETTINGS = ["/etc", "/private/etc"];
/** The few of the system's settings that hold no secret, and which programs ask for. */
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
  if (SYSTEM.includes(real)) return `belongs to the system: ${whatIsLeft(real, right)}`;
  const held = SYSTEM.find((each) => covers(real, each));
  if (held !== undefined) return `holds ${held}, which belongs to the system`;
  const closed = findAround(real, CLOSED);
  if (closed !== undefined) return `lies in ${closed}, which belongs to the system and is closed to every run`;
  if (right === "write") return refuseSystemWrite(real, homes);
  const settings = findAround(real, SETTINGS);
  if (settings === undefined) return null;
  const isPublic = PUBLIC_SETTINGS.some((each) => covers(`${settings}/${each}`, real));
  return isPublic ? null : `lies in ${settings}, which may hold the system's secrets`;
}

/** What may be had instead of one of the system's directories as a whole; no hint at what would be refused next. */
function whatIsLeft(real: string, right: Right): string {
  if (findAround(real, CLOSED) !== undefined) return "it is closed to every run";
  if (right === "write" && findAround(real, [...SEALED, ...STATE]) !== undefined) return "nothing in it may be written";
  if (SETTINGS.includes(real)) return `it may hold secrets; name what is needed and holds none, such as ${real}/hosts`;
  return "name the folder in it that is needed";
}

function refuseSystemWrite(real: string, homes: readonly string[]): string | null {
  const isInHome = homes.some((home) => home !== "/" && covers(home, real));
  const sealed = findAround(real, isInHome ? SEALED : [...SEALED, ...STATE]);
  return sealed === undefined ? null : `lies in ${sealed}, which belongs to the system and can at most be read`;
}

function findAround(real: string, places: readonly string[]): string | undefined {
  return places.find((each) => covers(each, real));
}
