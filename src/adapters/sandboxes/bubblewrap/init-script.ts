import { readFileSync } from "node:fs";
import type { Argv, SandboxLimits } from "../../../ports/sandbox.ts";

export interface InitParams {
  /** Options of setpriv that change the user of the second process. */
  readonly setprivOptions: readonly string[];
  readonly cwd: string;
  readonly limits: SandboxLimits;
  /** Descriptor to which `STARTED` is written once all of our steps have succeeded. */
  readonly status: number;
  /** True if the relay starts the command. It can fail, too, so it writes the status instead. */
  readonly relayReportsStart: boolean;
}

/** Written immediately before the command starts. Afterwards no process inside has the descriptor. */
export const STARTED = "started";

/**
 * Wraps the command in two processes. The first passes our stdin on (a shell gives none to a background command) and stays to
 * reap orphans. The second changes into the directory, which possibly only the user inside may enter, and sets the limits;
 * if that fails, the command does not start.
 *
 * The first must keep bubblewrap's user: when bubblewrap dies with its supervisor, the kernel kills the first process with a
 * signal from bubblewrap, which may not signal another user's process.
 */
export function initCommand({ setprivOptions: become, cwd, limits, status, relayReportsStart }: InitParams): Argv {
  const reportStart = relayReportsStart ? [] : [`echo ${STARTED} >&${status}`, `exec ${status}>&-`];
  const script = [...prepare(limits), ...reportStart, 'exec "$@"'].join(" && ");
  const first = `exec 3<&0; "$@" <&3 3<&- & exec ${status}>&-; wait $!`;
  return ["/bin/sh", "-c", first, "nightshift", ...become, "/bin/sh", "-c", script, "nightshift", cwd];
}

function prepare(limits: SandboxLimits): readonly string[] {
  const kilobytes = Math.floor(capToHardLimit("Max data size", limits.memoryBytes) / 1024);
  const blocks = Math.floor(capToHardLimit("Max file size", limits.fileBytes) / 512);
  const processes = capToHardLimit("Max processes", limits.processes);
  return [
    'cd -- "$1"',
    "shift",
    "unset OLDPWD",
    "ulimit -c 0",
    `ulimit -d ${kilobytes}`,
    `ulimit -f ${blocks}`,
    ...cpuTime(limits.cpuSeconds),
    // bash and dash use different letters.
    `{ ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}; }`,
  ];
}

/** At the soft limit the kernel sends SIGXCPU, which a process can ignore; at the hard limit it kills. */
function cpuTime(seconds: number | null): readonly string[] {
  if (seconds === null) return [];
  const hard = capToHardLimit("Max cpu time", hardSeconds(seconds));
  return [`ulimit -S -t ${Math.min(seconds, hard)}`, `ulimit -H -t ${hard}`];
}

export function hardSeconds(seconds: number): number {
  return seconds + 1;
}

/** Limits the value to our own hard limit, because raising it would be refused. */
function capToHardLimit(name: string, value: number): number {
  const limits = readFileSync("/proc/self/limits", "utf8").split("\n");
  const line = limits.find((each) => each.startsWith(name));
  const hard = Number(/\s(\d+|unlimited)\s+\S*\s*$/.exec(line ?? "")?.[1]);
  return Number.isFinite(hard) ? Math.min(hard, value) : value;
}
