import { describe, expect, it } from "vitest";
import { NO_TOKENS } from "../../../core/task/run.ts";
import { createLedger } from "./ledger.ts";
import type { Denied, Reservation } from "./ledger.ts";
import { PRICES } from "../test-model.suite.ts";

const STAYS = new AbortController().signal;
const ask = (outputTokens: number, model = "claude-x") => ({ model, inputTokens: 0, outputTokens });
const spend = (output: number) => ({ ...NO_TOKENS, output });

function reserved(result: Reservation | Denied | null): Reservation {
  if (result?.kind !== "reserved") throw new Error(`not reserved: ${JSON.stringify(result)}`);
  return result;
}

describe("a limit in USD", () => {
  it("holds spent, input and output at list price together", async () => {
    const ledger = createLedger({ limitUsd: 1, limitTokens: null, prices: PRICES });
    // 10 000 tokens of output cost 0.50 USD, 50 000 of input as much.
    const worst = { model: "claude-x", inputTokens: 50_000, outputTokens: 10_000 };
    const first = reserved(await ledger.reserve(worst, STAYS));
    expect(first.settle(spend(10_000), "claude-x")).toBeCloseTo(0.5);
    expect(await ledger.reserve(worst, STAYS)).toMatchObject({
      kind: "denied",
      isBudget: true,
      sentence: expect.stringMatching(/0\.50 of 1\.00 USD are spent, and it could take up to 1\.00 USD/),
    });
    reserved(await ledger.reserve(ask(10_000), STAYS));
  });

  it("cannot be kept for a model without a price, unless tokens are limited as well", async () => {
    const prices = PRICES;
    expect(
      await createLedger({ limitUsd: 1, limitTokens: null, prices }).reserve(ask(1, "other"), STAYS),
    ).toMatchObject({
      kind: "denied",
      isBudget: false,
      sentence: expect.stringMatching(/price of model other is unknown.*run_tokens/),
    });
    const ledger = createLedger({ limitUsd: 1, limitTokens: 100, prices });
    expect(reserved(await ledger.reserve(ask(100, "other"), STAYS)).settle(spend(60), "other")).toBeNull();
    expect(await ledger.reserve(ask(50, "other"), STAYS)).toMatchObject({ kind: "denied", isBudget: true });
    reserved(await createLedger({ limitUsd: null, limitTokens: null, prices }).reserve(ask(1e9, "other"), STAYS));
  });
});

describe("requests at the same time", () => {
  it("wait for each other where they fit one after the other, and not where they never will", async () => {
    const ledger = createLedger({ limitUsd: null, limitTokens: 100, prices: {} });
    const first = reserved(await ledger.reserve(ask(80), STAYS));
    const order: string[] = [];
    const second = ledger.reserve(ask(60), STAYS).then((result) => (order.push("second"), result));
    const third = ledger.reserve(ask(70), STAYS).then((result) => (order.push("third"), result));
    expect(await ledger.reserve(ask(101), STAYS)).toMatchObject({ kind: "denied" });
    expect(order).toEqual([]);
    first.settle(spend(20), "m");
    const settled = reserved(await second);
    expect(order).toEqual(["second"]);
    settled.settle(spend(30), "m");
    expect(await third).toMatchObject({ kind: "denied", isBudget: true });
  });

  it("are forgotten when their client leaves, and settled once", async () => {
    const ledger = createLedger({ limitUsd: null, limitTokens: 100, prices: {} });
    const first = reserved(await ledger.reserve(ask(80), STAYS));
    const left = new AbortController();
    const waiting = ledger.reserve(ask(60), left.signal);
    left.abort();
    expect(await waiting).toBeNull();
    first.settle(spend(10), "m");
    first.settle(spend(10), "m");
    reserved(await ledger.reserve(ask(90), STAYS)).settle(null, "m");
    reserved(await ledger.reserve(ask(90), STAYS));
  });
});
