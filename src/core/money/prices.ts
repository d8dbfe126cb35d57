import type { Tokens } from "../task/run.ts";

/** USD for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Prices by model id; a key that ends in `*` is for all that begin like it. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Null: nobody knows what this model costs, which is not the same as nothing. */
export function priceOf(model: string | null, prices: PriceTable): Price | null {
  if (model === null) return null;
  const exact = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (exact !== undefined) return exact;
  const prefixes = Object.entries(prices)
    .filter(([key]) => key.endsWith("*") && model.startsWith(key.slice(0, -1)))
    .toSorted(([a], [b]) => b.length - a.length);
  return prefixes[0]?.[1] ?? null;
}

export function costOf(tokens: Tokens, price: Price): number {
  const { input, output, cacheRead, cacheWrite } = tokens;
  const sum = input * price.input + output * price.output + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite;
  return sum / 1_000_000;
}
