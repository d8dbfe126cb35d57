import type { Argv } from "../../../ports/sandbox.ts";

/**
 * bubblewrap 0.8 has no option for noexec mounts, but it keeps the flag of existing mounts. So these paths are first mounted
 * onto themselves with noexec, in a mount namespace that only this command sees.
 */
export function stageNoExec(paths: readonly string[], argv: Argv, isRoot: boolean): Argv {
  // `mount` requires root, at least in its own user namespace.
  const namespaces = isRoot ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
  const unshare = ["/usr/bin/unshare", ...namespaces, "--propagation", "private"] as const;
  return [...unshare, "--", "/bin/sh", "-c", SCRIPT, String(paths.length), ...paths, ...argv];
}

// $0 is the number of arguments that are paths; the rest is the command.
const SCRIPT = `
n=$0
while [ "$n" -gt 0 ]; do
  mount --bind -o noexec,nosuid,nodev -- "$1" "$1" || exit 1
  shift
  n=$((n - 1))
done
exec "$@"`;
