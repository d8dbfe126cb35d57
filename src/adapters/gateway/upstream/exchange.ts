import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { NO_TOKENS } from "../../../core/task/run.ts";
import type { AnswerHead } from "./answer-head.ts";
import type { Refusal } from "./answers.ts";
import type { Connection } from "./connection.ts";
import { createUsageDropper } from "../meter/drop-usage.ts";
import { createOutlet } from "./forward.ts";
import type { Outlet } from "./forward.ts";
import { answerHeaders } from "./headers.ts";
import { createMeter } from "../meter/meter.ts";
import type { Meter, Metered } from "../meter/meter.ts";
import type { Asked } from "../read-request.ts";
import type { Route } from "../routes.ts";
import type { Sending, Upstream } from "./upstream.ts";

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

/** Where an answer goes. */
type Sink = Pick<Outlet, "push" | "end" | "breakOff">;

/** Resolves when both sides are done with it, however that came about. Never rejects. */
export function exchange(params: ExchangeParams): Promise<Result> {
  const { response } = params;
  // Gone already, and so is the event that would tell it.
  if (response.destroyed) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<Result>();
  let current: Sending | null = null;
  // What it comes to if the client leaves now.
  let resultSoFar = (): Result => unanswered(params, current);
  let sink: Sink | null = null;

  response.once("close", () => {
    if (response.writableFinished) return;
    current?.connection.destroy();
    resolve(resultSoFar());
  });

  function send(isSecondTry: boolean): void {
    const { method, headers, route } = params;
    // A body without a length, as a GET would have it, is the beginning of another request.
    const body = method === "POST" ? params.body : null;
    const sending = params.upstream.send({ method, path: route.path, headers, body }, isSecondTry, {
      onHead: (head) => take(head, sending.connection),
      onBody: (piece) => sink?.push(piece),
      onEnd: () => sink?.end(),
      onFail(error) {
        if (response.destroyed) return;
        if (sink !== null) return sink.breakOff();
        // Upstream closed a connection that we had kept, most likely before it saw anything of the request.
        if (!isSecondTry && sending.isReused && isReset(error)) return send(true);
        const result = unanswered(params, sending);
        params.refuse({ status: 502, sentence: `${params.upstream.name} could not be asked: ${error.message}.` });
        resolve(result);
      },
    });
    current = sending;
  }

  function take(head: AnswerHead, connection: Connection): void {
    const { status, headers } = head;
    resultSoFar = () => null;
    if (status >= 400) {
      sink = collectError(connection, (body) => {
        if (!response.destroyed) sendError(params, head, body);
        resolve(null);
      });
      return;
    }
    const encoding = headers["content-encoding"] ?? "identity";
    if (status >= 300 || encoding !== "identity") {
      connection.destroy();
      const what =
        status >= 300 ? "with a redirect, which is not followed" : `compressed (${encoding}), though asked not to`;
      params.refuse({ status: 502, sentence: `${params.upstream.name} answers ${what}.` });
      return resolve(status >= 300 ? null : worstCase(params));
    }
    const meter = params.asked === null ? null : createAnswerMeter(params, params.asked, head);
    const outlet = pass(params, head, { connection, meter });
    sink = outlet;
    resultSoFar = () => {
      outlet.settle();
      return meter?.end() ?? null;
    };
    response.once("finish", () => resolve(resultSoFar()));
  }

  send(false);
  return promise;
}

interface Passed {
  readonly connection: Connection;
  readonly meter: Meter | null;
}

function pass(params: ExchangeParams, head: AnswerHead, { connection, meter }: Passed): Outlet {
  const { response } = params;
  const dropper = params.asked?.dropUsage === true && isEvents(head) ? createUsageDropper() : null;
  const { "content-length": length, ...headers } = answerHeaders(head.headers);
  const isWhole = dropper === null && length !== undefined;
  response.writeHead(head.status, { ...headers, ...(isWhole && { "content-length": length }) });
  // The client may learn that it was heard long before the first word comes.
  response.flushHeaders();
  const look = (bytes: Buffer): void => {
    meter?.push(bytes);
    if (meter !== null && params.isTooMuch(meter.soFar())) response.destroy();
  };
  return createOutlet({ response, look, dropper, source: connection });
}

function createAnswerMeter({ route }: ExchangeParams, asked: Asked, head: AnswerHead): Meter {
  return createMeter({ shape: route.shape, isStream: isEvents(head), inputTokens: asked.inputTokens });
}

function isEvents({ headers }: AnswerHead): boolean {
  return headers["content-type"]?.includes("text/event-stream") === true;
}

/** What upstream says when it refuses: all of it, or what came of it, which is still better than nothing. */
function collectError(connection: Connection, take: (body: Buffer) => void): Sink {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = (): void => take(Buffer.concat(chunks));
  return {
    push(piece) {
      if (size > MAX_ERROR_BYTES) return;
      size += piece.length;
      if (size <= MAX_ERROR_BYTES) return void chunks.push(Buffer.from(piece));
      connection.destroy();
      finish();
    },
    end: finish,
    breakOff: finish,
  };
}

/** Upstream's own words, with whatever it repeats of the key taken out. */
function sendError({ response, key }: ExchangeParams, { status, headers }: AnswerHead, said: Buffer): void {
  const kept = Object.entries(answerHeaders(headers)).filter(([name]) => name !== "content-length");
  const hide = (text: string): string => text.replaceAll(key, "[key]");
  const body = Buffer.from(hide(said.toString("latin1")), "latin1");
  response.writeHead(status, {
    ...Object.fromEntries(kept.map(([name, value]) => [name, hide(String(value))])),
    "content-length": body.length,
  });
  response.end(body);
}

/** What a request comes to that was never answered: what went in, if it went out at all. */
function unanswered({ asked }: ExchangeParams, sending: Sending | null): Result {
  if (asked === null || sending?.connection.isSent !== true) return null;
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
