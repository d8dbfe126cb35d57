import { hasInEnvironment, isDead, listProcesses } from "./process-table.ts";
import { sleep } from "./sleep.ts";
import type { ProcessInfo } from "./process-table.ts";

/** How to recognise the processes of a tree, even if they left its session or group. */
export interface TreeMarks {
  /** The first process, which leads its own session and group. */
  readonly leader: { readonly pid: number; readonly startTime: number | null } | null;
  /** A `NAME=value` that all processes inherit. It finds those that left the session. */
  readonly environment: string;
  /** Older processes cannot belong to the tree. This avoids reading the environment of every process. */
  readonly since: number | null;
  /** The leader is the sandbox of the others. On SIGTERM it would kill them immediately. */
  readonly leaderIsWall?: boolean;
}

/** A process tree. Processes that were seen once are remembered. */
export interface Tree {
  members(): readonly ProcessInfo[];
  signal(...signals: readonly NodeJS.Signals[]): void;
  /** Sends SIGTERM to all processes except the sandbox around them. */
  terminate(): void;
  /** Suspends all processes in rounds until none is running, while `isWanted` returns true. */
  pause(isWanted: () => boolean): Promise<void>;
  /** Kills all processes in rounds until none is left. Returns the processes that survived. */
  end(): Promise<readonly ProcessInfo[]>;
}

const TIMEOUT_MS = 10_000;

export function createTree(marks: TreeMarks): Tree {
  const known = new Map<number, number>();

  function members(): readonly ProcessInfo[] {
    const living = listProcesses().filter((info) => info.pid > 1 && info.pid !== process.pid);
    const found = withDescendants(living, living.filter(createMatcher(living, marks, known)));
    for (const info of found) known.set(info.pid, info.startTime);
    return found.filter((info) => !isDead(info));
  }

  function signalAll(targets: readonly ProcessInfo[], signal: NodeJS.Signals): void {
    const { leader } = marks;
    // Signalling the group reaches all its processes at the same time, so none can fork in between.
    if (leader !== null && targets.some((info) => info.group === leader.pid)) signalProcess(-leader.pid, signal);
    for (const info of targets) if (info.group !== leader?.pid) signalProcess(info.pid, signal);
  }

  async function inRounds(signal: NodeJS.Signals, left: () => readonly ProcessInfo[]): Promise<readonly ProcessInfo[]> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (let round = 1; ; round++) {
      const targets = left();
      if (targets.length === 0 || performance.now() > deadline) return targets;
      signalAll(targets, signal);
      await sleep(Math.min(2 ** round, 50));
    }
  }

  return {
    members,
    signal(...signals) {
      const targets = members();
      for (const signal of signals) signalAll(targets, signal);
    },
    terminate() {
      const targets = members();
      const inside = marks.leaderIsWall === true ? targets.filter(({ pid }) => pid !== marks.leader?.pid) : targets;
      signalAll(inside, "SIGTERM");
      // A stopped process does not handle signals until it continues.
      signalAll(targets, "SIGCONT");
    },
    async pause(isWanted) {
      const signalled = new Set<number>();
      await inRounds("SIGSTOP", () => {
        const running = isWanted() ? members().filter((info) => isRunning(info, signalled)) : [];
        for (const { pid } of running) signalled.add(pid);
        return running;
      });
    },
    end: () => inRounds("SIGKILL", members),
  };
}

function createMatcher(living: readonly ProcessInfo[], marks: TreeMarks, known: ReadonlyMap<number, number>) {
  const { leader, environment, since } = marks;
  const holder = living.find((info) => info.pid === leader?.pid);
  // The leader's pid may have been reused by another process. The kernel does not reuse it while its group has members.
  const isOurs = holder === undefined || leader?.startTime === null || holder.startTime === leader?.startTime;
  const group = leader !== null && isOurs ? leader.pid : -1;
  return (info: ProcessInfo): boolean =>
    info.group === group ||
    info.session === group ||
    known.get(info.pid) === info.startTime ||
    (environment !== "" && info.startTime >= (since ?? 0) && hasInEnvironment(info.pid, environment));
}

function withDescendants(all: readonly ProcessInfo[], roots: readonly ProcessInfo[]): readonly ProcessInfo[] {
  const children = Map.groupBy(all, (info) => info.parent);
  const found = new Set(roots);
  // The set grows during the iteration, so that the children of new members are added too.
  for (const info of found) for (const child of children.get(info.pid) ?? []) found.add(child);
  return [...found];
}

function isRunning({ pid, state }: ProcessInfo, signalled: ReadonlySet<number>): boolean {
  if (state === "T" || state === "t") return false;
  // A shell in vfork whose child was stopped before its exec cannot stop until the child continues. The signal is pending,
  // and the shell does not run.
  return state !== "D" || !signalled.has(pid);
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited, or we may not signal it. The next round finds out.
  }
}
