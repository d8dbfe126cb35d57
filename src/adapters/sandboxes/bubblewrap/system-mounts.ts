import { existsSync, lstatSync, readlinkSync } from "node:fs";
import type { Mount } from "./mount-plan.ts";

/** What every program expects of a machine, read-only: libraries, certificates, time zones. Nothing of a person. */
export const SHARED = [
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/libx32",
  "/usr/libexec",
  "/usr/share",
  "/usr/include",
  "/usr/local/lib",
  "/usr/local/share",
  "/usr/local/include",
  "/nix/store",
  // Not what stands beside the certificates: private keys.
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust/extracted",
  "/etc/alternatives",
  "/etc/ld.so.cache",
];

/** Links into /usr on most systems, and files or directories of their own on the others. */
const MOSTLY_LINKS = ["/lib", "/lib32", "/lib64", "/libx32", "/etc/localtime", "/etc/os-release"];
const PROGRAMS_AT_ROOT = ["/bin", "/sbin"];

/** Where the system keeps its programs. */
export const SYSTEM_PROGRAMS = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", ...PROGRAMS_AT_ROOT];

/** `withPrograms`: all programs of the system as well; else only the links by which they are called. */
export function systemMounts(withPrograms: boolean): readonly Mount[] {
  const whole = withPrograms ? ["/usr", ...SHARED.filter((path) => !path.startsWith("/usr/"))] : SHARED;
  const roots = [...MOSTLY_LINKS, ...PROGRAMS_AT_ROOT].flatMap((path): readonly Mount[] => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true) return [{ kind: "link", path, target: readlinkSync(path) }];
    if (found === undefined || (!withPrograms && PROGRAMS_AT_ROOT.includes(path))) return [];
    return [{ kind: "read", path }];
  });
  return [...whole.filter((path) => existsSync(path)).map((path): Mount => ({ kind: "read", path })), ...roots];
}
