import type { IncomingMessage, ServerResponse } from "node:http";
import { reject } from "./upstream/rejection.ts";
import type { Rejection } from "./upstream/rejection.ts";
import { hasNonce, addKey } from "./credentials.ts";
import { forwardRequest } from "./upstream/forward-request.ts";
import type { GatewayParams } from "./gateway.ts";
import { requestHeaders } from "./upstream/headers.ts";
import { createLedger } from "./meter/ledger.ts";
import type { MeteredUsage } from "./meter/meter.ts";
import { readRequestInfo, readBody } from "./read-request.ts";
import type { RequestInfo, BodySizes } from "./read-request.ts";
import { findRoute } from "./routes.ts";
import type { Upstream } from "./upstream/upstream.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const UNAUTHORIZED: Rejection = {
  status: 401,
  message: "Missing or unknown key. Only the agent of this run may use its model gateway.",
};
/** Contains no details, because the error may contain the key. The transcript has them, with secrets redacted. */
const INTERNAL_ERROR: Rejection = {
  status: 502,
  message: "The model gateway failed to handle this request. See the run's transcript for details.",
};
const MAX_NOTES = 20;

/** Handles a request: checks the nonce, the route and the budget, forwards it and records its usage. */
export function createHandler(params: GatewayParams, upstream: Upstream): Handler {
  const { plan, key } = params;
  const ledger = createLedger(plan);
  const notes = new Set<string>();
  const bodySizes: BodySizes = new Map();
  let isExhausted = false;

  function exhaust(sentence: string): void {
    if (!isExhausted) params.onExhausted(sentence);
    isExhausted = true;
  }

  /** Reports each message once, because clients retry. */
  function note(sentence: string): void {
    if (notes.size >= MAX_NOTES || notes.has(sentence)) return;
    notes.add(sentence);
    params.onNote(sentence);
  }

  /** The answer's model name is more specific, but the price may only be known for the requested name. */
  function pricedModel(metered: MeteredUsage | null, info: RequestInfo): string {
    const answered = metered?.model ?? null;
    return answered !== null && ledger.price(answered) !== null ? answered : info.model;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const clientGone = new AbortController();
    response.once("close", () => clientGone.abort());
    const rejectWith = (rejection: Rejection): void => reject(response, plan.api, rejection);
    const { method = "", url = "" } = request;
    if (!hasNonce(request, plan.nonce)) return rejectWith(UNAUTHORIZED);
    const route = findRoute(plan.api, method, url);
    if (route === null) return rejectWith(notFound(method, url));
    const body = await readBody(request, bodySizes);
    if (body === null) return;
    if (!Buffer.isBuffer(body)) return rejectWith(body);
    const forwarded = {
      upstream,
      route,
      method,
      headers: addKey(requestHeaders(request.headers), plan, key),
      response,
      key,
      reject: rejectWith,
    };
    if (!route.isBilled) {
      await forwardRequest({ ...forwarded, body, info: null, isOverLimit: () => false });
      return;
    }
    const info = readRequestInfo(route, body);
    if ("status" in info) return rejectWith(info);
    const reservation = await ledger.reserve(info, clientGone.signal);
    if (reservation === null) return;
    if (reservation.kind === "denied") {
      rejectWith({ status: 400, message: reservation.message });
      return reservation.isBudget ? exhaust(reservation.message) : note(reservation.message);
    }
    let isCut = false;
    const isOverLimit = (metered: MeteredUsage): boolean =>
      (isCut ||= ledger.isExceeded(metered.tokens, pricedModel(metered, info)));
    const result = await forwardRequest({ ...forwarded, body: info.body, info, isOverLimit });
    const cost = reservation.settle(result?.tokens ?? null, pricedModel(result, info));
    if (result !== null) params.onUsage(formatUsage(result, info, cost));
    if (isCut) exhaust(`The budget of this run is used up, and a response was cut off: ${ledger.describe()}.`);
  }

  /** Never rejects, because the caller cannot answer the client. */
  return async (request, response) => {
    try {
      await serve(request, response);
    } catch (error) {
      reject(response, plan.api, INTERNAL_ERROR);
      note(`The model gateway failed to handle a request: ${error instanceof Error ? error.message : String(error)}.`);
    } finally {
      bodySizes.delete(request);
    }
  };
}

function notFound(method: string, url: string): Rejection {
  const requested = `${method} ${url.split("?", 1)[0] ?? ""}`.slice(0, 200);
  return { status: 404, message: `The model gateway only forwards requests to the model, not ${requested}.` };
}

/** Formats the usage as a line of Nightshift's event format. */
function formatUsage({ tokens, model, isEstimated }: MeteredUsage, info: RequestInfo, costUsd: number | null): string {
  return JSON.stringify({
    type: "usage",
    tokens: {
      input: tokens.input,
      output: tokens.output,
      cache_read: tokens.cacheRead,
      cache_write: tokens.cacheWrite,
    },
    cost_usd: costUsd,
    model: (model ?? info.model).slice(0, 200),
    ...(isEstimated && { estimated: true }),
  });
}
