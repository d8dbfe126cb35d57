import type { Denial } from "../../ports/sandbox.ts";
import type { ExitRecord } from "../../ports/supervisor.ts";

/** Collects the accesses that the sandbox denied during a job, each with its count. */
export interface Denials {
  /** Returns true for a target that was not denied before. `isGranted`: the run's own rules allow the target. */
  add(denial: Denial, isGranted: boolean): boolean;
  list(): ExitRecord["denials"];
}

/**
 * Limits the size of the exit record. The first hundred denials are enough to find the cause. Denials of granted targets have
 * their own limit, so that a flood of others cannot hide that a promise was broken.
 */
const MAX_DENIALS = 100;
/** An agent chooses what is denied, such as the path of a request. */
const MAX_TARGET = 300;
const MAX_SENTENCE = 1_000;

export function createDenials(): Denials {
  const counted = new Map<string, { denial: Denial; count: number }>();
  const free = { granted: MAX_DENIALS, other: MAX_DENIALS };
  return {
    add(added, isGranted) {
      const denial = shorten(added);
      const known = counted.get(denial.target);
      const kind = isGranted ? "granted" : "other";
      if (known !== undefined) known.count++;
      if (known !== undefined || free[kind] === 0) return false;
      counted.set(denial.target, { denial, count: 1 });
      free[kind]--;
      return true;
    },
    list: () => [...counted.values()].map(({ denial, count }) => ({ ...denial, count })),
  };
}

function shorten({ kind, target, sentence }: Denial): Denial {
  return { kind, target: target.slice(0, MAX_TARGET), sentence: sentence.slice(0, MAX_SENTENCE) };
}
