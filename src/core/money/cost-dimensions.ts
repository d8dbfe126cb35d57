/** Dimensions by which costs can be grouped. A night lasts from noon to noon and has the name of the day on which it began. */
export const COST_DIMENSIONS = ["day", "night", "project", "pipeline", "role", "agent", "model"] as const;
export type CostDimension = (typeof COST_DIMENSIONS)[number];

const NANO = 1e9;

/** Money is stored in whole nano-dollars, so that sums do not depend on the order. */
export function fromNanoUsd(nano: number): number {
  return nano / NANO;
}

export function toNanoUsd(usd: number): number {
  return Math.round(usd * NANO);
}

export function sumUsd(amounts: readonly number[]): number {
  return fromNanoUsd(amounts.reduce((sum, amount) => sum + toNanoUsd(amount), 0));
}
