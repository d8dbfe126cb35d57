import type { IncomingMessage, ServerResponse } from "node:http";
import { refuse } from "./upstream/answers.ts";
import type { Refusal } from "./upstream/answers.ts";
import { knowsNonce, withKey } from "./credentials.ts";
import { exchange } from "./upstream/exchange.ts";
import type { GatewayParams } from "./gateway.ts";
import { requestHeaders } from "./upstream/headers.ts";
import { createLedger } from "./meter/ledger.ts";
import type { Metered } from "./meter/meter.ts";
import { readRequestInfo, readBody } from "./read-request.ts";
import type { RequestInfo, Held } from "./read-request.ts";
import { findRoute } from "./routes.ts";
import type { Upstream } from "./upstream/upstream.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const STRANGER: Refusal = {
  status: 401,
  sentence: "This is the model gateway of another program's run: the key that was sent is not the one it asks for.",
};
/** What went wrong may have the key in it: that is for the transcript, where keys are taken out. */
const BROKEN: Refusal = { status: 502, sentence: "The model gateway failed at this request; the run's log says why." };
const MAX_NOTES = 20;

/** From a request to its answer: who asks, for what, whether it can be paid for, what it came to. */
export function createHandler(params: GatewayParams, upstream: Upstream): Handler {
  const { plan, key } = params;
  const ledger = createLedger(plan);
  const told = new Set<string>();
  const held: Held = new Map();
  let isExhausted = false;

  function exhaust(sentence: string): void {
    if (!isExhausted) params.onExhausted(sentence);
    isExhausted = true;
  }

  /** Once each: a client that tries again and again tells nothing new. */
  function note(sentence: string): void {
    if (told.size >= MAX_NOTES || told.has(sentence)) return;
    told.add(sentence);
    params.onNote(sentence);
  }

  /** An answer names its model more exactly, but the price may be known only under the name that was asked for. */
  function pricedModel(metered: Metered | null, asked: RequestInfo): string {
    const said = metered?.model ?? null;
    return said !== null && ledger.price(said) !== null ? said : asked.model;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once("close", () => left.abort());
    const turnAway = (refusal: Refusal): void => refuse(response, plan.api, refusal);
    const { method = "", url = "" } = request;
    if (!knowsNonce(request, plan.nonce)) return turnAway(STRANGER);
    const route = findRoute(plan.api, method, url);
    if (route === null) return turnAway(notFound(method, url));
    const body = await readBody(request, held);
    if (body === null) return;
    if (!Buffer.isBuffer(body)) return turnAway(body);
    const forwarded = {
      upstream,
      route,
      method,
      headers: withKey(requestHeaders(request.headers), plan, key),
      response,
      key,
      refuse: turnAway,
    };
    if (!route.isBilled) {
      await exchange({ ...forwarded, body, asked: null, isTooMuch: () => false });
      return;
    }
    const asked = readRequestInfo(route, body);
    if ("sentence" in asked) return turnAway(asked);
    const reservation = await ledger.reserve(asked, left.signal);
    if (reservation === null) return;
    if (reservation.kind === "denied") {
      turnAway({ status: 400, sentence: reservation.sentence });
      return reservation.isBudget ? exhaust(reservation.sentence) : note(reservation.sentence);
    }
    let isCut = false;
    const isTooMuch = (metered: Metered): boolean =>
      (isCut ||= ledger.isPassed(metered.tokens, pricedModel(metered, asked)));
    const result = await exchange({ ...forwarded, body: asked.body, asked, isTooMuch });
    const cost = reservation.settle(result?.tokens ?? null, pricedModel(result, asked));
    if (result !== null) params.onUsage(usageLine(result, asked, cost));
    if (isCut) exhaust(`The budget of this run is used up, and an answer was cut off: ${ledger.describe()}.`);
  }

  /** Never rejects: nobody above could give the client an answer any more. */
  return async (request, response) => {
    try {
      await serve(request, response);
    } catch (error) {
      refuse(response, plan.api, BROKEN);
      note(`The model gateway failed at a request: ${error instanceof Error ? error.message : String(error)}.`);
    } finally {
      held.delete(request);
    }
  };
}

function notFound(method: string, url: string): Refusal {
  const asked = `${method} ${url.split("?", 1)[0] ?? ""}`.slice(0, 200);
  return { status: 404, sentence: `The model gateway lets only requests to the model through, not ${asked}.` };
}

/** Our own event format, as programs that were written for Nightshift print it. */
function usageLine({ tokens, model, isEstimated }: Metered, asked: RequestInfo, costUsd: number | null): string {
  return JSON.stringify({
    type: "usage",
    tokens: {
      input: tokens.input,
      output: tokens.output,
      cache_read: tokens.cacheRead,
      cache_write: tokens.cacheWrite,
    },
    cost_usd: costUsd,
    model: (model ?? asked.model).slice(0, 200),
    ...(isEstimated && { estimated: true }),
  });
}
