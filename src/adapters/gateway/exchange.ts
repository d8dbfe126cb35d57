import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { NO_TOKENS } from "../../core/run.ts";
import type { Refusal } from "./answers.ts";
import { createUsageDropper } from "./drop-usage.ts";
import { forward } from "./forward.ts";
import { answerHeaders } from "./headers.ts";
import { createMeter } from "./meter.ts";
import type { Meter, Metered } from "./meter.ts";
import type { Asked } from "./read-request.ts";
import type { Route } from "./routes.ts";
import type { Upstream } from "./upstream.ts";

/** One request that goes upstream, and its answer. */
export interface ExchangeParams {
  readonly upstream: Upstream;
  readonly route: Route;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Null for what is free. */
  readonly asked: Asked | null;
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
  const { response } = params;
  // Gone already, and so is the event that would tell it.
  if (response.destroyed) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<Result>();
  let current: ClientRequest | null = null;
  // What it comes to if the client leaves now.
  let resultSoFar = (): Result => unanswered(params, current);
  let isAnswered = false;

  response.once("close", () => {
    if (response.writableFinished) return;
    current?.destroy();
    resolve(resultSoFar());
  });

  function send(isSecondTry: boolean): void {
    const request = params.upstream.open(params.method, params.route.path, {
      ...params.headers,
      ...(params.method === "POST" && { "content-length": params.body.length }),
    });
    current = request;
    request.once("timeout", () => request.destroy(new Error("it was silent for too long")));
    request.once("error", (error) => {
      if (response.destroyed || isAnswered) return;
      // Upstream closed a connection that we had kept, most likely before it saw anything of the request.
      if (!isSecondTry && request.reusedSocket && isReset(error)) return send(true);
      const result = unanswered(params, request);
      params.refuse({ status: 502, sentence: `${params.upstream.name} could not be asked: ${error.message}.` });
      resolve(result);
    });
    request.once("response", take);
    // A body without a length, as a GET would have it, is the beginning of another request.
    request.end(params.method === "POST" ? params.body : undefined);
  }

  function take(answer: IncomingMessage): void {
    const status = answer.statusCode ?? 502;
    isAnswered = true;
    resultSoFar = () => null;
    answer.on("error", () => undefined);
    if (status >= 400) return void passError(params, answer, status).then(() => resolve(null));
    const encoding = answer.headers["content-encoding"] ?? "identity";
    if (status >= 300 || encoding !== "identity") {
      answer.destroy();
      const what =
        status >= 300 ? "with a redirect, which is not followed" : `compressed (${encoding}), though asked not to`;
      params.refuse({ status: 502, sentence: `${params.upstream.name} answers ${what}.` });
      return resolve(status >= 300 ? null : worstCase(params));
    }
    const meter = params.asked === null ? null : createAnswerMeter(params, params.asked, answer);
    resultSoFar = () => meter?.end() ?? null;
    pass(params, answer, meter);
    response.once("finish", () => resolve(resultSoFar()));
  }

  send(false);
  return promise;
}

function pass(params: ExchangeParams, answer: IncomingMessage, meter: Meter | null): void {
  const { response } = params;
  const dropper = params.asked?.dropUsage === true && isEvents(answer) ? createUsageDropper() : null;
  const { "content-length": length, ...headers } = answerHeaders(answer.headers);
  const isWhole = dropper === null && length !== undefined;
  response.writeHead(answer.statusCode ?? 200, { ...headers, ...(isWhole && { "content-length": length }) });
  // The client may learn that it was heard long before the first word comes.
  response.flushHeaders();
  if (meter !== null) {
    answer.on("data", (chunk: Buffer) => {
      meter.push(chunk);
      if (params.isTooMuch(meter.soFar())) response.destroy();
    });
  }
  // What goes wrong on its way is told to the dropper, which then breaks off, too.
  forward(dropper === null ? answer : pipeline(answer, dropper, () => undefined), response);
}

function createAnswerMeter({ route }: ExchangeParams, asked: Asked, answer: IncomingMessage): Meter {
  return createMeter({ shape: route.shape, isStream: isEvents(answer), inputTokens: asked.inputTokens });
}

function isEvents({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.includes("text/event-stream") === true;
}

/** Upstream's own words, with whatever it repeats of the key taken out. */
async function passError({ response, key }: ExchangeParams, answer: IncomingMessage, status: number): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_ERROR_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    // It broke off: what came of it is still better than nothing.
  }
  if (response.destroyed) return;
  const headers = Object.entries(answerHeaders(answer.headers)).filter(([name]) => name !== "content-length");
  const hide = (text: string): string => text.replaceAll(key, "[key]");
  const body = Buffer.from(hide(Buffer.concat(chunks).toString("latin1")), "latin1");
  response.writeHead(status, {
    ...Object.fromEntries(headers.map(([name, value]) => [name, hide(String(value))])),
    "content-length": body.length,
  });
  response.end(body);
}

/** What a request comes to that was never answered: what went in, if it went out at all. */
function unanswered({ asked }: ExchangeParams, request: ClientRequest | null): Result {
  if (asked === null || request?.writableFinished !== true) return null;
  return { tokens: { ...NO_TOKENS, input: asked.inputTokens }, model: null, isEstimated: true };
}

function worstCase({ asked }: ExchangeParams): Result {
  if (asked === null) return null;
  const tokens = { ...NO_TOKENS, input: asked.inputTokens, output: asked.outputTokens };
  return { tokens, model: null, isEstimated: true };
}

function isReset(error: Error): boolean {
  return "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
}
