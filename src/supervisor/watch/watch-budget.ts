import type { Breach } from "./limits.ts";

interface BudgetParams {
  /** Aborts when the model gateway refused a request for the budget's sake. */
  readonly refused: AbortSignal;
  readonly graceMs: number;
  readonly onBreach: (breach: Breach) => void;
}

/** A CLI whose model refuses to go on ends by itself, with its last words; one that does not is ended after a while. */
export function watchBudget({ refused, graceMs, onBreach }: BudgetParams): { stop(): void } {
  let timer: NodeJS.Timeout | null = null;
  function onRefused(): void {
    const sentence = "It did not end by itself when its budget was used up, and was ended.";
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
