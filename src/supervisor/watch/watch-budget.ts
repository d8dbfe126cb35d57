import type { Breach } from "./limits.ts";

interface BudgetParams {
  /** Aborts when the model gateway refuses a request because the budget is used up. */
  readonly refused: AbortSignal;
  readonly graceMs: number;
  readonly onBreach: (breach: Breach) => void;
}

/** An agent CLI normally exits when its model refuses requests. If it does not, it is ended after a grace period. */
export function watchBudget({ refused, graceMs, onBreach }: BudgetParams): { stop(): void } {
  let timer: NodeJS.Timeout | null = null;
  function onRefused(): void {
    const sentence = "It did not exit after its budget was used up, and was ended.";
    timer = setTimeout(() => onBreach({ endedBy: "budget", sentence }), graceMs);
  }
  refused.addEventListener("abort", onRefused);
  return {
    stop() {
      refused.removeEventListener("abort", onRefused);
      if (timer !== null) clearTimeout(timer);
    },
  };
}
