import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { NO_TOKENS } from "../../../core/task/run.ts";
import { hasCode } from "../../process/job-files.ts";
import type { Rejection } from "./rejection.ts";
import { createUsageDropper } from "../meter/drop-usage.ts";
import { streamBody } from "./stream-body.ts";
import { responseHeaders } from "./headers.ts";
import { createMeter } from "../meter/meter.ts";
import type { Meter, MeteredUsage } from "../meter/meter.ts";
import type { RequestInfo } from "../read-request.ts";
import type { Route } from "../routes.ts";
import type { Upstream } from "./upstream.ts";

/** A request to forward, and the response to the client. */
export interface ForwardParams {
  readonly upstream: Upstream;
  readonly route: Route;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Null for free requests. */
  readonly info: RequestInfo | null;
  readonly response: ServerResponse;
  /** Redacted in error messages of upstream. */
  readonly key: string;
  readonly reject: (rejection: Rejection) => void;
  /** Called while usage grows. If it returns true, the answer is cut off. */
  readonly isOverLimit: (metered: MeteredUsage) => boolean;
}

/** The usage of a request. Null if it cost nothing. */
export type Result = MeteredUsage | null;

const MAX_ERROR_BYTES = 1024 * 1024;

/** Resolves when both connections are done with the request, successfully or not. */
export function forwardRequest(params: ForwardParams): Promise<Result> {
  const { response, method, info, route } = params;
  // Already closed, so its "close" event will not come any more.
  if (response.destroyed) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<Result>();
  let request: ClientRequest | null = null;
  let isSent = false;
  let isAnswered = false;
  // The result if the client disconnects now. Without an answer, the input counts if it was sent.
  let resultSoFar = (): Result => (isSent && info !== null ? estimateUsage(info, 0) : null);

  response.once("close", () => {
    if (response.writableFinished) return;
    request?.destroy();
    resolve(resultSoFar());
  });

  function fail(error: Error): void {
    // Disconnected clients are handled above, and broken answers in streamBody.
    if (response.destroyed || isAnswered) return;
    params.reject({ status: 502, message: `The request to ${params.upstream.name} failed: ${error.message}.` });
    resolve(resultSoFar());
  }

  function send(isRetry: boolean): void {
    const { headers, upstream } = params;
    const sending = upstream.request({ method, path: route.path, headers, isFresh: isRetry });
    request = sending;
    isSent = false;
    sending.once("finish", () => (isSent = true));
    sending.once("response", handleAnswer);
    sending.once("upgrade", (_, socket) => {
      socket.destroy();
      fail(new Error("it switched to another protocol"));
    });
    sending.on("error", (error) => {
      // Upstream closed an idle connection, most likely before it received the request.
      const isStale = !isRetry && !isAnswered && sending.reusedSocket && hasCode(error, "ECONNRESET", "EPIPE");
      if (isStale && !response.destroyed) send(true);
      else fail(error);
    });
    // A GET has no body. If the client sent one, it must not reach upstream.
    sending.end(method === "POST" ? params.body : undefined);
  }

  function handleAnswer(answer: IncomingMessage): void {
    isAnswered = true;
    resultSoFar = () => null;
    const { statusCode: status = 502, headers } = answer;
    if (status >= 400) {
      readErrorBody(answer, (body) => {
        if (!response.destroyed) sendError(params, answer, body);
        resolve(null);
      });
      return;
    }
    const encoding = headers["content-encoding"] ?? "identity";
    if (status >= 300 || encoding !== "identity") {
      answer.destroy();
      const problem = status >= 300 ? "a redirect" : `a compressed answer (${encoding})`;
      params.reject({ status: 502, message: `${params.upstream.name} sent ${problem}, which is not supported.` });
      return resolve(status >= 300 || info === null ? null : estimateUsage(info, info.outputTokens));
    }
    const isStream = isEventStream(answer);
    const meter = info === null ? null : createMeter({ shape: route.shape, isStream, inputTokens: info.inputTokens });
    resultSoFar = () => meter?.end() ?? null;
    response.once("finish", () => resolve(resultSoFar()));
    streamAnswer(params, answer, meter);
  }

  try {
    send(false);
  } catch (error) {
    // For example a key with a line break. Other errors may contain the key, so the client must not see them.
    if (!(error instanceof Error && hasCode(error, "ERR_INVALID_CHAR"))) throw error;
    fail(error);
  }
  return promise;
}

function streamAnswer(params: ForwardParams, answer: IncomingMessage, meter: Meter | null): void {
  const { response } = params;
  const dropper = params.info?.dropUsage === true && isEventStream(answer) ? createUsageDropper() : null;
  const { "content-length": length, ...headers } = responseHeaders(answer.headers);
  const isUnchanged = dropper === null && length !== undefined;
  response.writeHead(answer.statusCode ?? 200, { ...headers, ...(isUnchanged && { "content-length": length }) });
  // The first data may come much later, but the client should know that its request was accepted.
  response.flushHeaders();
  const look = (bytes: Buffer): void => {
    meter?.push(bytes);
    if (meter !== null && params.isOverLimit(meter.soFar())) response.destroy();
  };
  streamBody({ answer, response, inspect: look, dropper });
}

function isEventStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.includes("text/event-stream") === true;
}

/** Reads the error body, or the part of it that arrives. */
function readErrorBody(answer: IncomingMessage, onBody: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  answer.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size <= MAX_ERROR_BYTES) chunks.push(piece);
    else answer.destroy();
  });
  answer.on("error", () => undefined);
  answer.once("close", () => onBody(Buffer.concat(chunks)));
}

/** Forwards upstream's error with the key redacted. */
function sendError({ response, key }: ForwardParams, answer: IncomingMessage, errorBody: Buffer): void {
  const kept = Object.entries(responseHeaders(answer.headers)).filter(([name]) => name !== "content-length");
  const redact = (text: string): string => text.replaceAll(key, "[key]");
  const body = Buffer.from(redact(errorBody.toString("latin1")), "latin1");
  response.writeHead(answer.statusCode ?? 502, {
    ...Object.fromEntries(kept.map(([name, value]) => [name, redact(String(value))])),
    "content-length": body.length,
  });
  response.end(body);
}

function estimateUsage({ inputTokens }: RequestInfo, output: number): Result {
  return { tokens: { ...NO_TOKENS, input: inputTokens, output }, model: null, isEstimated: true };
}
