import type { Argv } from "../../../ports/sandbox.ts";

/**
 * bubblewrap 0.8 cannot mount anything so that nothing in it can be executed, but keeps that mark where it finds it. So
 * these paths are first mounted onto themselves, marked, in a namespace that only this command sees.
 */
export function stageNoExec(paths: readonly string[], argv: Argv, isRoot: boolean): Argv {
  // `mount` wants to be root, if only of a namespace of its own.
  const namespaces = isRoot ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
  const unshare = ["/usr/bin/unshare", ...namespaces, "--propagation", "private"] as const;
  return [...unshare, "--", "/bin/sh", "-c", SCRIPT, String(paths.length), ...paths, ...argv];
}

// $0 says how many of the arguments are paths; the rest is the command.
const SCRIPT = `
n=$0
while [ "$n" -gt 0 ]; do
  mount --bind -o noexec,nosuid,nodev -- "$1" "$1" || exit 1
  shift
  n=$((n - 1))
done
exec "$@"`;
