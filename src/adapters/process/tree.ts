import { hasInEnvironment, isDead, listProcesses } from "./process-table.ts";
import { sleep } from "./sleep.ts";
import type { ProcessInfo } from "./process-table.ts";

/** How to recognise the processes of a tree, wherever they moved. */
export interface TreeMarks {
  /** The process started first: leader of its own session and group. */
  readonly leader: { readonly pid: number; readonly startTime: number | null } | null;
  /** `NAME=value` that stood in its environment and is passed on to every child: finds those that left the session. */
  readonly environment: string;
  /** Nothing that started before this can belong to it; saves looking into every process of the machine. */
  readonly since: number | null;
  /** The leader is a wall around the others: asked to end, it would end them at once. */
  readonly leaderIsWall?: boolean;
}

/** The tree's processes that live, and what can be done to them all. Processes once seen are remembered. */
export interface Tree {
  members(): readonly ProcessInfo[];
  signal(...signals: readonly NodeJS.Signals[]): void;
  /** Asks all but the wall around them to end. */
  ask(): void;
  /** Stops them in rounds until a round finds nothing running, as long as that is wanted. */
  pause(isWanted: () => boolean): Promise<void>;
  /** Kills them in rounds until none is left; returns what refused to die. */
  end(): Promise<readonly ProcessInfo[]>;
}

const GIVE_UP_MS = 10_000;

export function createTree(marks: TreeMarks): Tree {
  const known = new Map<number, number>();

  function members(): readonly ProcessInfo[] {
    const living = listProcesses().filter((info) => info.pid > 1 && info.pid !== process.pid);
    const found = withDescendants(living, living.filter(recogniser(living, marks, known)));
    for (const info of found) known.set(info.pid, info.startTime);
    return found.filter((info) => !isDead(info));
  }

  function signalAll(targets: readonly ProcessInfo[], signal: NodeJS.Signals): void {
    const { leader } = marks;
    // One call reaches a whole group at the same instant, so nothing in it can fork away between two of ours.
    if (leader !== null && targets.some((info) => info.group === leader.pid)) signalProcess(-leader.pid, signal);
    for (const info of targets) if (info.group !== leader?.pid) signalProcess(info.pid, signal);
  }

  async function inRounds(signal: NodeJS.Signals, left: () => readonly ProcessInfo[]): Promise<readonly ProcessInfo[]> {
    const deadline = performance.now() + GIVE_UP_MS;
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
    ask() {
      const targets = members();
      const asked = marks.leaderIsWall === true ? targets.filter(({ pid }) => pid !== marks.leader?.pid) : targets;
      signalAll(asked, "SIGTERM");
      // A stopped process hears nothing until it goes on.
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

function recogniser(living: readonly ProcessInfo[], marks: TreeMarks, known: ReadonlyMap<number, number>) {
  const { leader, environment, since } = marks;
  const holder = living.find((info) => info.pid === leader?.pid);
  // The leader's pid may belong to a stranger by now; as long as members live, the kernel gives it to nobody.
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
  // A set that grows while it is walked: each newcomer's children are looked up in turn.
  for (const info of found) for (const child of children.get(info.pid) ?? []) found.add(child);
  return [...found];
}

function isRunning({ pid, state }: ProcessInfo, signalled: ReadonlySet<number>): boolean {
  if (state === "T" || state === "t") return false;
  // A shell that waits in vfork for a child which we stopped before its exec cannot stop itself until the child goes on:
  // the signal stands, and it runs nothing.
  return state !== "D" || !signalled.has(pid);
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone since we looked, or not ours to signal; the next round sees which.
  }
}
