import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { NO_TOKENS } from "../../../core/task/run.ts";
import type { Refusal } from "./answers.ts";
import { createUsageDropper } from "../meter/drop-usage.ts";
import { forward } from "./forward.ts";
import { answerHeaders } from "./headers.ts";
import { createMeter } from "../meter/meter.ts";
import type { Meter, Metered } from "../meter/meter.ts";
import type { RequestInfo } from "../read-request.ts";
import type { Route } from "../routes.ts";
import type { Upstream } from "./upstream.ts";

/** One request that goes upstream, and its answer. */
export interface ExchangeParams {
  readonly upstream: Upstream;
  readonly route: Route;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Null for what is free. */
  readonly asked: RequestInfo | null;
  readonly response: ServerResponse;
  /** Taken out of what upstream says when it refuses. */
  readonly key: string;
  readonly refuse: (refusal: Refusal) => void;
  /** Looks at the count while it grows; true: it is too much, and the answer is cut off. */
  readonly isTooMuch: (metered: Metered) => boolean;
}

/** What an exchange came to; null: nothing that would have to be paid for. */
export type Result = Metered | null;

const MAX_ERROR_BYTES = 1024 * 1024;

/** Resolves when both sides are done with it, however that came about. Never rejects. */
export function exchange(params: ExchangeParams): Promise<Result> {
  const { response, method } = params;
  // Already closed, so its "close" event will not come any more.
  if (response.destroyed) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<Result>();
  let request: ClientRequest | null = null;
  let isSent = false;
  let isAnswered = false;
  // What the exchange comes to if the client leaves now.
  let resultSoFar = (): Result => unanswered(params, isSent);

  response.once("close", () => {
    if (response.writableFinished) return;
    request?.destroy();
    resolve(resultSoFar());
  });

  function fail(error: Error): void {
    // A client that left was handled above, and a broken answer is its reader's business.
    if (response.destroyed || isAnswered) return;
    params.refuse({ status: 502, sentence: `${params.upstream.name} could not be asked: ${error.message}.` });
    resolve(unanswered(params, isSent));
  }

  function send(isRetry: boolean): void {
    const { headers, route } = params;
    const sending = params.upstream.request({ method, path: route.path, headers, isFresh: isRetry });
    request = sending;
    isSent = false;
    sending.once("finish", () => (isSent = true));
    sending.once("response", take);
    sending.once("upgrade", (_, socket) => {
      socket.destroy();
      fail(new Error("it switched to another protocol"));
    });
    sending.on("error", (error) => {
      // Upstream closed a connection that we had kept, most likely before it saw anything of the request.
      const isStale = !isRetry && !isAnswered && sending.reusedSocket && isReset(error);
      if (isStale && !response.destroyed) send(true);
      else fail(error);
    });
    // A GET has no body, and what a client sent as one must not reach upstream.
    sending.end(method === "POST" ? params.body : undefined);
  }

  function take(answer: IncomingMessage): void {
    isAnswered = true;
    resultSoFar = () => null;
    const { statusCode: status = 502, headers } = answer;
    if (status >= 400) {
      collectError(answer, (body) => {
        if (!response.destroyed) sendError(params, answer, body);
        resolve(null);
      });
      return;
    }
    const encoding = headers["content-encoding"] ?? "identity";
    if (status >= 300 || encoding !== "identity") {
      answer.destroy();
      const what =
        status >= 300 ? "with a redirect, which is not followed" : `compressed (${encoding}), though asked not to`;
      params.refuse({ status: 502, sentence: `${params.upstream.name} answers ${what}.` });
      return resolve(status >= 300 ? null : worstCase(params));
    }
    const meter = params.asked === null ? null : createAnswerMeter(params, params.asked, answer);
    resultSoFar = () => meter?.end() ?? null;
    response.once("finish", () => resolve(resultSoFar()));
    pass(params, answer, meter);
  }

  try {
    send(false);
  } catch (error) {
    // Such as a key with a line break in it. Other messages may contain the key, so the client must not see them.
    if (!hasCode(error, "ERR_INVALID_CHAR")) throw error;
    fail(error);
  }
  return promise;
}

function pass(params: ExchangeParams, answer: IncomingMessage, meter: Meter | null): void {
  const { response } = params;
  const dropper = params.asked?.dropUsage === true && isEvents(answer) ? createUsageDropper() : null;
  const { "content-length": length, ...headers } = answerHeaders(answer.headers);
  const isWhole = dropper === null && length !== undefined;
  response.writeHead(answer.statusCode ?? 200, { ...headers, ...(isWhole && { "content-length": length }) });
  // The first word may come much later; the client should know before that its request was accepted.
  response.flushHeaders();
  const look = (bytes: Buffer): void => {
    meter?.push(bytes);
    if (meter !== null && params.isTooMuch(meter.soFar())) response.destroy();
  };
  forward({ answer, response, look, dropper });
}

function createAnswerMeter({ route }: ExchangeParams, asked: RequestInfo, answer: IncomingMessage): Meter {
  return createMeter({ shape: route.shape, isStream: isEvents(answer), inputTokens: asked.inputTokens });
}

function isEvents({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.includes("text/event-stream") === true;
}

/** Reads the whole error message, or as much of it as arrives, which is better than nothing. */
function collectError(answer: IncomingMessage, take: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  answer.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size <= MAX_ERROR_BYTES) chunks.push(piece);
    else answer.destroy();
  });
  answer.on("error", () => undefined);
  answer.once("close", () => take(Buffer.concat(chunks)));
}

/** Upstream's own words, with whatever it repeats of the key taken out. */
function sendError({ response, key }: ExchangeParams, answer: IncomingMessage, said: Buffer): void {
  const kept = Object.entries(answerHeaders(answer.headers)).filter(([name]) => name !== "content-length");
  const hide = (text: string): string => text.replaceAll(key, "[key]");
  const body = Buffer.from(hide(said.toString("latin1")), "latin1");
  response.writeHead(answer.statusCode ?? 502, {
    ...Object.fromEntries(kept.map(([name, value]) => [name, hide(String(value))])),
    "content-length": body.length,
  });
  response.end(body);
}

/** What a request comes to that was never answered: what went in, if it went out at all. */
function unanswered({ asked }: ExchangeParams, isSent: boolean): Result {
  if (asked === null || !isSent) return null;
  return { tokens: { ...NO_TOKENS, input: asked.inputTokens }, model: null, isEstimated: true };
}

function worstCase({ asked }: ExchangeParams): Result {
  if (asked === null) return null;
  const tokens = { ...NO_TOKENS, input: asked.inputTokens, output: asked.outputTokens };
  return { tokens, model: null, isEstimated: true };
}

function isReset(error: Error): boolean {
  return hasCode(error, "ECONNRESET") || hasCode(error, "EPIPE");
}

function hasCode(error: unknown, code: string): error is Error {
  return error instanceof Error && "code" in error && error.code === code;
}
