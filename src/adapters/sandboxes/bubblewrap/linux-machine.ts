import { readFileSync } from "node:fs";

/** Facts that decide whether a Linux machine can run the sandbox, and which command fixes it. */
export interface LinuxMachine {
  /** `ID` and `ID_LIKE` of /etc/os-release, most specific first. */
  readonly distribution: readonly string[];
  /** Null if this kernel has no such setting. */
  readonly maxUserNamespaces: number | null;
  readonly unprivilegedClone: number | null;
  readonly apparmorRestricts: boolean;
  /** The kind of container that Nightshift runs in, or null. */
  readonly container: string | null;
}

export type ReadText = (file: string) => string | null;

export function readLinuxMachine(read: ReadText = readText): LinuxMachine {
  return {
    distribution: readDistribution(read("/etc/os-release") ?? read("/usr/lib/os-release") ?? ""),
    maxUserNamespaces: toNumber(read("/proc/sys/user/max_user_namespaces")),
    unprivilegedClone: toNumber(read("/proc/sys/kernel/unprivileged_userns_clone")),
    apparmorRestricts: toNumber(read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")) === 1,
    container: findContainer(read),
  };
}

function readDistribution(osRelease: string): readonly string[] {
  const value = (key: string): string => new RegExp(`^${key}="?([^"\n]*)"?$`, "m").exec(osRelease)?.[1] ?? "";
  return `${value("ID")} ${value("ID_LIKE")}`.split(" ").filter((word) => word !== "");
}

function findContainer(read: ReadText): string | null {
  if (read("/run/.containerenv") !== null) return "podman";
  if (read("/.dockerenv") !== null) return "docker";
  return read("/run/systemd/container")?.trim() ?? null;
}

function toNumber(text: string | null): number | null {
  return text === null || text.trim() === "" ? null : Number(text);
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
