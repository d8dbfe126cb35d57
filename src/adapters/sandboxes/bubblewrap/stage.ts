import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Argv } from "../../../ports/sandbox.ts";

/** A mount that bubblewrap 0.8 cannot make. It is made before bubblewrap starts, in a mount namespace that only it sees. */
export interface StagedMount {
  /**
   * `noexec`: `at` is `path`, and bubblewrap keeps the flag. `view`: a read-only overlay of a directory. Its sockets, named
   * pipes and file locks are not connected to those outside, including ones that appear later.
   */
  readonly kind: "noexec" | "view";
  readonly path: string;
  readonly at: string;
}

export function stageNoExec(path: string): StagedMount {
  return { kind: "noexec", path, at: path };
}

/** Creates the mount points of the views in `dir`. */
export function stageViews(paths: readonly string[], dir: string): readonly StagedMount[] {
  return paths.map((path, index) => {
    const at = join(dir, `view-${index}`);
    mkdirSync(at, { recursive: true });
    return { kind: "view", path, at };
  });
}

/**
 * Starts a command with these mounts. For an ordinary user it also has a user namespace of its own, which limits what the kernel
 * otherwise counts for all programs of the user together.
 */
export function withOuterNamespaces(mounts: readonly StagedMount[], argv: Argv, isRoot: boolean): Argv {
  if (isRoot && mounts.length === 0) return argv;
  // `mount` requires root, at least in its own user namespace.
  const namespaces = isRoot ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
  const unshare = ["/usr/bin/unshare", ...namespaces, "--propagation", "private"] as const;
  const words = mounts.flatMap(({ kind, path, at }) => [kind, path, at]);
  const script = isRoot ? MOUNT : `${limitInotify()}${MOUNT}`;
  return [...unshare, "--", "/bin/sh", "-c", script, String(mounts.length), ...words, ...argv];
}

/** A quarter of the user's limits, so that concurrent runs leave some for the user's other programs. */
function limitInotify(): string {
  const lines = ["instances", "watches"].map((kind) => {
    const total = Number(readFileSync(`/proc/sys/fs/inotify/max_user_${kind}`, "utf8"));
    return `echo ${Math.floor(total / 4)} > /proc/sys/user/max_inotify_${kind} || exit 1`;
  });
  return lines.join("\n");
}

// $0 is the number of mounts with three arguments each; the rest is the command. An overlay needs a second, empty directory.
// Both are named without their paths, which may contain characters with a meaning in mount options.
const MOUNT = `
n=$0
while [ "$n" -gt 0 ]; do
  case $1 in
    noexec) mount --bind -o noexec,nosuid,nodev -- "$2" "$2" || exit 1 ;;
    view) cd -- "$2" && mount -t overlay -o ro,nosuid,nodev,lowerdir=.:/proc/self/fd/9 -- overlay "$3" 9<"$3" || {
      echo "$2 cannot be mounted as a read-only view; remove it from sandbox.read or use another file system" >&2
      exit 1
    } ;;
  esac
  shift 3
  n=$((n - 1))
done
cd / && exec "$@"`;
