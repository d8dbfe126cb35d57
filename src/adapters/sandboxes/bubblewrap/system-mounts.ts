import { existsSync, lstatSync, readlinkSync } from "node:fs";
import type { Mount } from "./mount-plan.ts";

/** Read-only system files that programs expect: libraries, certificates, time zones. Contains no user data. */
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
  // Not the parent directory, which also contains private keys.
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust/extracted",
  "/etc/alternatives",
  "/etc/ld.so.cache",
];

/** On most systems links into /usr, on others regular files or directories. */
const MOSTLY_LINKS = ["/lib", "/lib32", "/lib64", "/libx32", "/etc/localtime", "/etc/os-release"];
const PROGRAMS_AT_ROOT = ["/bin", "/sbin"];

/** Directories of the system's programs. */
export const SYSTEM_PROGRAMS = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", ...PROGRAMS_AT_ROOT];

/** `withPrograms` includes all system programs; otherwise only the links that lead to them. */
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
