import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { covers, refusePath } from "../../../policy/access/path-rules.ts";
import { knownHomes } from "./known-homes.ts";
import { listDirectory } from "./list-directory.ts";

/**
 * Returns the files that a program needs besides its own. Neighbouring programs are never included: a toolchain is mounted
 * without its `bin`, so that allowing `node` does not allow `npx`.
 */
export function findRuntime(real: string, isScript: boolean): readonly string[] {
  return (
    systemRuntime(real) ??
    storeRuntime(real) ??
    packageRuntime(real, isScript) ??
    toolchainRuntime(real) ??
    vendorRuntime(real) ??
    []
  );
}

/** Mounted completely in every sandbox. */
const SYSTEM = [
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/libx32",
  "/usr/libexec",
  "/usr/share",
  "/usr/local/lib",
  "/usr/local/share",
  "/lib",
  "/lib32",
  "/lib64",
];

/** Settings in /etc that system programs need, because links in their directories lead there. */
const SETTINGS: readonly (readonly [RegExp, string])[] = [
  [/^\/usr\/lib\/jvm\//, "/etc/java-"],
  [/^\/usr\/share\/maven\//, "/etc/maven"],
  [/^\/usr\/share\/sbt\//, "/etc/sbt"],
  [/^\/usr\/share\/gradle/, "/etc/gradle"],
  [/^\/usr\/bin\/php/, "/etc/php"],
  [/^\/usr\/lib\/R\//, "/etc/R"],
];

function systemRuntime(real: string): readonly string[] | null {
  const settings = SETTINGS.filter(([program]) => program.test(real)).flatMap(([, start]) =>
    listDirectory("/etc")
      .map((name) => `/etc/${name}`)
      .filter((path) => path === start || (start.endsWith("-") && path.startsWith(start))),
  );
  const isWhole = SYSTEM.some((each) => covers(each, real));
  return settings.length > 0 || isWhole ? settings : null;
}

/** Package managers whose programs use libraries in each other's folders. */
function storeRuntime(real: string): readonly string[] | null {
  const store = ["/nix/store", "/gnu/store"].find((each) => covers(each, real));
  if (store !== undefined) return [store];
  const cellar = real.indexOf("/Cellar/");
  if (cellar < 0) return null;
  const brew = real.slice(0, cellar);
  return listExisting(brew, ["Cellar", "opt", "lib", "share", "etc/ca-certificates", "etc/openssl@3"]);
}

/** An npm package: only itself if it is installed globally, otherwise with the folder of its dependencies. */
function packageRuntime(real: string, isScript: boolean): readonly string[] | null {
  const parts = real.split("/");
  const first = parts.indexOf("node_modules");
  if (first < 0) return null;
  const isGlobal = parts[first - 1] === "lib";
  if (isScript && !isGlobal) return [parts.slice(0, first + 1).join("/")];
  const folder = isScript ? first : parts.lastIndexOf("node_modules");
  const length = parts[folder + 1]?.startsWith("@") === true ? 3 : 2;
  const directory = parts.slice(0, folder + length).join("/");
  return directory === real ? [] : [directory];
}

/** Any of these next to `bin` marks a toolchain. */
const LIBRARIES = ["lib", "lib64", "libexec", "share", "jre", "jmods", "pyvenv.cfg"];
/** The parts of a toolchain except its programs. Listed by name, because people's projects contain `bin` and `lib`, too. */
const PARTS = [...LIBRARIES, "lib32", "include", "conf", "release", "boot", "init.d", "modules", "ssl", "legal"];
const PARTS_OF_GO = ["VERSION", "go.env", "api", "misc", "pkg", "src"];

function toolchainRuntime(real: string): readonly string[] | null {
  const bin = dirname(real);
  const prefix = dirname(bin);
  if (!["bin", "sbin"].includes(basename(bin)) || ["/", "/usr", "/usr/local"].includes(prefix)) return null;
  if (!isReadAllowed(prefix) || listExisting(prefix, LIBRARIES).length === 0) return null;
  const isGo = listExisting(prefix, ["VERSION", "src", "pkg"]).length === 3;
  return listExisting(prefix, isGo ? [...PARTS, ...PARTS_OF_GO] : PARTS).filter(isReadAllowed);
}

/** Software in its own folder: /opt/x, /usr/local/x. */
function vendorRuntime(real: string): readonly string[] | null {
  const vendor = /^(?:\/opt|\/usr\/local)\/(?!bin\/|sbin\/|games\/|etc\/)[^/]+(?=\/)/.exec(real)?.[0];
  return vendor === undefined || !isReadAllowed(vendor) ? null : [vendor];
}

function isReadAllowed(path: string): boolean {
  return refusePath(realpathSync.native(path), { right: "read", forbidden: [], homes: knownHomes() }) === null;
}

function listExisting(folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => join(folder, name)).filter((path) => existsSync(path));
}
