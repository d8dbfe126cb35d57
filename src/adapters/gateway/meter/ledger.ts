import { costOf, priceOf } from "../../../core/money/prices.ts";
import type { Price, PriceTable } from "../../../core/money/prices.ts";
import { NO_TOKENS } from "../../../core/task/run.ts";
import type { Tokens } from "../../../core/task/run.ts";
import type { GatewayPlan } from "../../../ports/gateway.ts";

/** Tracks what the run has spent, and what pending requests may still cost. */
export interface Ledger {
  /**
   * Reserves the maximum cost of a request. Waits if it only exceeds the limit together with pending requests. Returns null if
   * the client disconnects meanwhile.
   */
  reserve(usage: MaxUsage, signal: AbortSignal): Promise<Reservation | Denial | null>;
  /** Null if unknown. */
  price(model: string): Price | null;
  /** Whether these tokens, in addition to what was spent, exceed the limit. */
  isExceeded(tokens: Tokens, model: string): boolean;
  /** For messages: `0.52 of 0.50 USD`. */
  describe(): string;
}

export interface MaxUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Reservation {
  readonly kind: "reserved";
  /** Records the actual usage, or null if it cost nothing. Only the first call counts. Returns the cost, or null if unknown. */
  settle(tokens: Tokens | null, model: string): number | null;
}

export interface Denial {
  readonly kind: "denied";
  /** True if the budget is used up, false if the cost of the request is unknown. */
  readonly isBudget: boolean;
  readonly message: string;
}

interface Amount {
  readonly usd: number;
  readonly tokens: number;
}

type Limits = Pick<GatewayPlan, "limitUsd" | "limitTokens" | "prices">;

export function createLedger({ limitUsd, limitTokens, prices }: Limits): Ledger {
  const spent = { usd: 0, tokens: 0 };
  const reserved = { usd: 0, tokens: 0 };
  const findPrice = createPriceFinder(prices);
  let wake = Promise.withResolvers<void>();

  function toAmount(tokens: Tokens, model: string): Amount {
    const price = findPrice(model);
    const sum = tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite;
    return { usd: price === null ? 0 : costOf(tokens, price), tokens: sum };
  }

  function fits(...amounts: readonly Amount[]): boolean {
    const total = amounts.reduce(
      (sum, { usd, tokens }) => ({ usd: sum.usd + usd, tokens: sum.tokens + tokens }),
      spent,
    );
    return (limitUsd === null || total.usd <= limitUsd) && (limitTokens === null || total.tokens <= limitTokens);
  }

  function describe(): string {
    const usd = limitUsd === null ? [] : [`${formatUsd(spent.usd)} of ${formatUsd(limitUsd)} USD`];
    const tokens = limitTokens === null ? [] : [`${spent.tokens} of ${limitTokens} tokens`];
    return [...usd, ...tokens].join(" and ");
  }

  function deny(worst: Amount): Denial {
    const maxCost = limitUsd === null || worst.usd === 0 ? `${worst.tokens} tokens` : `${formatUsd(worst.usd)} USD`;
    const message = `The budget of this run does not allow another request: ${describe()} are spent, and it could cost up to ${maxCost}.`;
    return { kind: "denied", isBudget: true, message };
  }

  function release(worst: Amount): void {
    reserved.usd -= worst.usd;
    reserved.tokens -= worst.tokens;
    wake.resolve();
    wake = Promise.withResolvers<void>();
  }

  function createReservation(worst: Amount): Reservation {
    let isOpen = true;
    reserved.usd += worst.usd;
    reserved.tokens += worst.tokens;
    return {
      kind: "reserved",
      settle(tokens, model) {
        const amount = toAmount(tokens ?? NO_TOKENS, model);
        if (isOpen) {
          spent.usd += amount.usd;
          spent.tokens += amount.tokens;
          release(worst);
        }
        isOpen = false;
        return findPrice(model) === null ? null : amount.usd;
      },
    };
  }

  return {
    async reserve({ model, inputTokens, outputTokens }, signal) {
      if (limitUsd !== null && limitTokens === null && findPrice(model) === null)
        return { kind: "denied", isBudget: false, message: unknownPrice(model) };
      const worst = toAmount({ ...NO_TOKENS, input: inputTokens, output: outputTokens }, model);
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => aborted.resolve(), { once: true });
      while (!signal.aborted) {
        if (!fits(worst)) return deny(worst);
        if (fits(worst, reserved)) return createReservation(worst);
        await Promise.race([wake.promise, aborted.promise]);
      }
      return null;
    },
    price: findPrice,
    isExceeded: (tokens, model) => !fits(toAmount(tokens, model)),
    describe,
  };
}

/** Caches prices, which are needed for every chunk. The cache is limited because clients choose the model names. */
function createPriceFinder(prices: PriceTable): (model: string) => Price | null {
  const found = new Map<string, Price | null>();
  return (model) => {
    const known = found.get(model);
    if (known !== undefined) return known;
    const price = priceOf(model, prices);
    if (found.size < 16 && model.length <= 200) found.set(model, price);
    return price;
  };
}

function unknownPrice(model: string): string {
  return `The price of model ${model.slice(0, 100)} is unknown, so a limit in USD cannot be enforced. Add it to \`prices\`, or set \`budget.run_tokens\`.`;
}

function formatUsd(usd: number): string {
  return usd.toFixed(usd < 0.1 ? 4 : 2);
}
