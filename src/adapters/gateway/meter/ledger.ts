import { costOf, priceOf } from "../../../core/money/prices.ts";
import type { Price, PriceTable } from "../../../core/money/prices.ts";
import { NO_TOKENS } from "../../../core/task/run.ts";
import type { Tokens } from "../../../core/task/run.ts";
import type { GatewayPlan } from "../../../ports/gateway.ts";

/** What the run has spent, and what requests under way may still cost. */
export interface Ledger {
  /**
   * Sets the most aside that a request can cost. Waits while only the others under way keep it from fitting; null when
   * the client left meanwhile.
   */
  reserve(asked: Worst, signal: AbortSignal): Promise<Reservation | Denied | null>;
  /** Null: unknown. */
  price(model: string): Price | null;
  /** Whether the limit is passed by what was spent and this on top of it. */
  isPassed(tokens: Tokens, model: string): boolean;
  /** In words: `0.52 of 0.50 USD`. */
  describe(): string;
}

export interface Worst {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Reservation {
  readonly kind: "reserved";
  /** What it came to in the end; null: it cost nothing. The first call counts. Says what it cost, if that is known. */
  settle(tokens: Tokens | null, model: string): number | null;
}

export interface Denied {
  readonly kind: "denied";
  /** Whether it is the budget that is used up, or a request that cannot be judged. */
  readonly isBudget: boolean;
  readonly sentence: string;
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

  function amountOf(tokens: Tokens, model: string): Amount {
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
    const usd = limitUsd === null ? [] : [`${showUsd(spent.usd)} of ${showUsd(limitUsd)} USD`];
    const tokens = limitTokens === null ? [] : [`${spent.tokens} of ${limitTokens} tokens`];
    return [...usd, ...tokens].join(" and ");
  }

  function deny(worst: Amount): Denied {
    const could = limitUsd === null || worst.usd === 0 ? `${worst.tokens} tokens` : `${showUsd(worst.usd)} USD`;
    const sentence = `The budget of this run does not allow another request: ${describe()} are spent, and it could take up to ${could}.`;
    return { kind: "denied", isBudget: true, sentence };
  }

  function release(worst: Amount): void {
    reserved.usd -= worst.usd;
    reserved.tokens -= worst.tokens;
    wake.resolve();
    wake = Promise.withResolvers<void>();
  }

  function setAside(worst: Amount): Reservation {
    let isOpen = true;
    reserved.usd += worst.usd;
    reserved.tokens += worst.tokens;
    return {
      kind: "reserved",
      settle(tokens, model) {
        const amount = amountOf(tokens ?? NO_TOKENS, model);
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
        return { kind: "denied", isBudget: false, sentence: unknownPrice(model) };
      const worst = amountOf({ ...NO_TOKENS, input: inputTokens, output: outputTokens }, model);
      const left = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => left.resolve(), { once: true });
      while (!signal.aborted) {
        if (!fits(worst)) return deny(worst);
        if (fits(worst, reserved)) return setAside(worst);
        await Promise.race([wake.promise, left.promise]);
      }
      return null;
    },
    price: findPrice,
    isPassed: (tokens, model) => !fits(amountOf(tokens, model)),
    describe,
  };
}

/** Asked for with every piece of every stream, and nearly always for the same models; but names are what others choose. */
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
  return `The price of model ${model.slice(0, 100)} is unknown, so a limit in USD cannot be kept. Add it to \`prices\`, or set \`budget.run_tokens\`.`;
}

function showUsd(usd: number): string {
  return usd.toFixed(usd < 0.1 ? 4 : 2);
}
