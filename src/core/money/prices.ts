import type { Tokens } from "../task/run.ts";

/** USD per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Prices by model id. A key that ends in `*` matches as a prefix. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Returns null if the price is unknown, which is not the same as free. */
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
