import type { Denial } from "../../ports/sandbox.ts";
import type { ExitRecord } from "../../ports/supervisor.ts";

/** What the sandbox refused during a job, each once, with how often. */
export interface Denials {
  /** True for what was not refused before. */
  add(denial: Denial): boolean;
  list(): ExitRecord["denials"];
}

/** A command that asks for a thousand hosts makes its point with the first hundred. */
const MOST = 100;

export function createDenials(): Denials {
  const counted = new Map<string, { denial: Denial; count: number }>();
  return {
    add(denial) {
      const known = counted.get(denial.target);
      if (known !== undefined) known.count++;
      if (known !== undefined || counted.size >= MOST) return false;
      counted.set(denial.target, { denial, count: 1 });
      return true;
    },
    list: () => [...counted.values()].map(({ denial, count }) => ({ ...denial, count })),
  };
}
