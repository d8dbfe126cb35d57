import { readFileSync } from "node:fs";
import type { Argv, SandboxLimits } from "../../ports/sandbox.ts";

/**
 * The command with the processes around it. The first one inside gives it our stdin (a shell gives a command in the
 * background none) and stays to collect the orphans. The second enters the directory, which only the user inside may be able to,
 * and takes on the limits; without them the command does not start.
 *
 * `become` makes another user of the second. The first must stay who bubblewrap is: when that dies with its supervisor,
 * the kernel passes the death on as if it were a signal of bubblewrap's, which may send none to another user.
 */
export function initCommand(become: readonly string[], cwd: string, limits: SandboxLimits): Argv {
  const start = ["/bin/sh", "-c", `${prepare(limits)} && exec "$@"`, "nightshift", cwd];
  return ["/bin/sh", "-c", 'exec 3<&0; "$@" <&3 3<&- & wait $!', "nightshift", ...become, ...start];
}

function prepare(limits: SandboxLimits): string {
  const kilobytes = Math.floor(within("Max data size", limits.memoryBytes) / 1024);
  const blocks = Math.floor(within("Max file size", limits.fileBytes) / 512);
  const processes = within("Max processes", limits.processes);
  return [
    'cd -- "$1"',
    "shift",
    "unset OLDPWD",
    "ulimit -c 0",
    `ulimit -d ${kilobytes}`,
    `ulimit -f ${blocks}`,
    // bash and dash have different letters for it.
    `{ ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}; }`,
  ].join(" && ");
}

/** What we may set: never more than we have been given ourselves, which would be refused. */
function within(name: string, wanted: number): number {
  const line = limitsOfOurs().find((each) => each.startsWith(name));
  const hard = Number(/\s(\d+|unlimited)\s+\S*\s*$/.exec(line ?? "")?.[1]);
  return Number.isFinite(hard) ? Math.min(hard, wanted) : wanted;
}

let ours: readonly string[] | null = null;

function limitsOfOurs(): readonly string[] {
  return (ours ??= readFileSync("/proc/self/limits", "utf8").split("\n"));
}
