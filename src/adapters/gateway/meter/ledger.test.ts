import { describe, expect, it } from "vitest";
import { NO_TOKENS } from "../../../core/task/run.ts";
import { createLedger } from "./ledger.ts";
import type { Denial, Reservation } from "./ledger.ts";
import { PRICES } from "../test-model.suite.ts";

const NOT_ABORTED = new AbortController().signal;
const usage = (outputTokens: number, model = "claude-x") => ({ model, inputTokens: 0, outputTokens });
const spend = (output: number) => ({ ...NO_TOKENS, output });

function reserved(result: Reservation | Denial | null): Reservation {
  if (result?.kind !== "reserved") throw new Error(`not reserved: ${JSON.stringify(result)}`);
  return result;
}

describe("ledger: limit in USD", () => {
  it("adds up what was spent, and input and output at list price", async () => {
    const ledger = createLedger({ limitUsd: 1, limitTokens: null, prices: PRICES });
    // 10 000 tokens of output cost 0.50 USD, 50 000 of input as much.
    const worst = { model: "claude-x", inputTokens: 50_000, outputTokens: 10_000 };
    const first = reserved(await ledger.reserve(worst, NOT_ABORTED));
    expect(first.settle(spend(10_000), "claude-x")).toBeCloseTo(0.5);
    expect(await ledger.reserve(worst, NOT_ABORTED)).toMatchObject({
      kind: "denied",
      isBudget: true,
      message: expect.stringMatching(/0\.50 of 1\.00 USD are spent, and it could cost up to 1\.00 USD/),
    });
    reserved(await ledger.reserve(usage(10_000), NOT_ABORTED));
  });

  it("denies a model without a price, unless tokens are limited too", async () => {
    const prices = PRICES;
    expect(
      await createLedger({ limitUsd: 1, limitTokens: null, prices }).reserve(usage(1, "other"), NOT_ABORTED),
    ).toMatchObject({
      kind: "denied",
      isBudget: false,
      message: expect.stringMatching(/price of model other is unknown.*run_tokens/),
    });
    const ledger = createLedger({ limitUsd: 1, limitTokens: 100, prices });
    expect(reserved(await ledger.reserve(usage(100, "other"), NOT_ABORTED)).settle(spend(60), "other")).toBeNull();
    expect(await ledger.reserve(usage(50, "other"), NOT_ABORTED)).toMatchObject({ kind: "denied", isBudget: true });
    reserved(
      await createLedger({ limitUsd: null, limitTokens: null, prices }).reserve(usage(1e9, "other"), NOT_ABORTED),
    );
  });
});

describe("ledger: concurrent requests", () => {
  it("waits for pending requests, but denies a request that can never fit", async () => {
    const ledger = createLedger({ limitUsd: null, limitTokens: 100, prices: {} });
    const first = reserved(await ledger.reserve(usage(80), NOT_ABORTED));
    const order: string[] = [];
    const second = ledger.reserve(usage(60), NOT_ABORTED).then((result) => (order.push("second"), result));
    const third = ledger.reserve(usage(70), NOT_ABORTED).then((result) => (order.push("third"), result));
    expect(await ledger.reserve(usage(101), NOT_ABORTED)).toMatchObject({ kind: "denied" });
    expect(order).toEqual([]);
    first.settle(spend(20), "m");
    const settled = reserved(await second);
    expect(order).toEqual(["second"]);
    settled.settle(spend(30), "m");
    expect(await third).toMatchObject({ kind: "denied", isBudget: true });
  });

  it("drops a request when its client disconnects, and settles only once", async () => {
    const ledger = createLedger({ limitUsd: null, limitTokens: 100, prices: {} });
    const first = reserved(await ledger.reserve(usage(80), NOT_ABORTED));
    const client = new AbortController();
    const waiting = ledger.reserve(usage(60), client.signal);
    client.abort();
    expect(await waiting).toBeNull();
    first.settle(spend(10), "m");
    first.settle(spend(10), "m");
    reserved(await ledger.reserve(usage(90), NOT_ABORTED)).settle(null, "m");
    reserved(await ledger.reserve(usage(90), NOT_ABORTED));
  });
});
