import { readFileSync } from "node:fs";
import type { Argv, SandboxLimits } from "../../../ports/sandbox.ts";

export interface InitParams {
  /** Makes another user of the second process. */
  readonly become: readonly string[];
  readonly cwd: string;
  readonly limits: SandboxLimits;
  /** On this descriptor stands `STARTED` when all that is ours has succeeded. */
  readonly status: number;
  /** Between us and the command there is the relay, which can fail as well: it has the last word. */
  readonly relayTells: boolean;
}

/** What is told as the very last thing before the command; from then on nobody inside has the descriptor. */
export const STARTED = "started";

/**
 * The command with the processes around it. The first one inside gives it our stdin (a shell gives a command in the
 * background none) and stays to collect the orphans. The second enters the directory, which only the user inside may be able to,
 * and takes on the limits; without them the command does not start.
 *
 * The first must stay who bubblewrap is: when that dies with its supervisor, the kernel passes the death on as if it were
 * a signal of bubblewrap's, which may send none to another user.
 */
export function initCommand({ become, cwd, limits, status, relayTells }: InitParams): Argv {
  const tell = relayTells ? [] : [`echo ${STARTED} >&${status}`, `exec ${status}>&-`];
  const script = [...prepare(limits), ...tell, 'exec "$@"'].join(" && ");
  const first = `exec 3<&0; "$@" <&3 3<&- & exec ${status}>&-; wait $!`;
  return ["/bin/sh", "-c", first, "nightshift", ...become, "/bin/sh", "-c", script, "nightshift", cwd];
}

function prepare(limits: SandboxLimits): readonly string[] {
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
    ...cpuTime(limits.cpuSeconds),
    // bash and dash have different letters for it.
    `{ ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}; }`,
  ];
}

/** At the first the kernel says why, which a process can be deaf to; at the second it kills. */
function cpuTime(seconds: number | null): readonly string[] {
  if (seconds === null) return [];
  const hard = within("Max cpu time", hardSeconds(seconds));
  return [`ulimit -S -t ${Math.min(seconds, hard)}`, `ulimit -H -t ${hard}`];
}

export function hardSeconds(seconds: number): number {
  return seconds + 1;
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
