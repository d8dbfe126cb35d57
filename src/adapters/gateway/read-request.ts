import type { IncomingMessage } from "node:http";
import type { Rejection } from "./upstream/rejection.ts";
import { estimateInput } from "./meter/estimate-input.ts";
import { countIn, objectIn, parseJson, textIn } from "./meter/json.ts";
import type { Json } from "./meter/json.ts";
import type { Route, Shape } from "./routes.ts";

/** A billed request to a model. */
export interface RequestInfo {
  readonly body: Buffer;
  readonly model: string;
  readonly inputTokens: number;
  /** The maximum output that the request allows. */
  readonly outputTokens: number;
  /** Whether to remove the usage chunk, which the gateway requested but the client did not. */
  readonly dropUsage: boolean;
}

const MEGABYTE = 1024 * 1024;
const MAX_BODY_BYTES = 32 * MEGABYTE;
/** Limit for all bodies in memory together. */
const MAX_TOTAL_BYTES = 96 * MEGABYTE;
const MAX_SEPARATORS = 2_000_000;
const COMMA = 0x2c;
const BRACKET = 0x5b;
/** Assumed for requests without a limit. A stream that exceeds the remaining budget is cut off. */
const DEFAULT_OUTPUT_TOKENS = 16_384;

/** Body sizes of all requests in memory, so that an agent cannot fill the supervisor's memory. */
export type BodySizes = Map<IncomingMessage, number>;

/** Reads the whole body. Returns null if the client disconnects. The caller removes the request from `bodySizes`. */
export async function readBody(request: IncomingMessage, bodySizes: BodySizes): Promise<Buffer | Rejection | null> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity")
    return { status: 415, message: `The model gateway does not support compressed requests (${encoding}).` };
  const tooLarge: Rejection = {
    status: 413,
    message: `The request exceeds ${MAX_BODY_BYTES / MEGABYTE} MB, or all pending requests exceed ${MAX_TOTAL_BYTES / MEGABYTE} MB.`,
  };
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      bodySizes.set(request, size);
      if (size > MAX_BODY_BYTES || sum(bodySizes.values()) > MAX_TOTAL_BYTES) return tooLarge;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  const body = Buffer.concat(chunks);
  return hasTooManyValues(body) ? tooLarge : body;
}

/** Many small values use far more memory once parsed. Legitimate large requests consist of long texts. */
function hasTooManyValues(body: Buffer): boolean {
  let separators = 0;
  if (body.length > MAX_SEPARATORS) for (const byte of body) if (byte === COMMA || byte === BRACKET) separators++;
  return separators > MAX_SEPARATORS;
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}

export function readRequestInfo({ shape, model: routeModel }: Route, body: Buffer): RequestInfo | Rejection {
  const request = objectIn(parseJson(body.toString("utf8")));
  if (request === null) return { status: 400, message: "The request must be a JSON object." };
  const model = routeModel ?? textIn(request, "model");
  if (model === null) return { status: 400, message: "The request has no model." };
  // Background requests would cost money without being counted.
  if (request["background"] === true)
    return { status: 400, message: "Background requests (`background: true`) are not supported." };
  const dropUsage = shape === "chat" && request["stream"] === true && !requestsUsage(request);
  const sent = serialize(dropUsage ? withUsage(request) : request);
  if (sent === null) return { status: 400, message: "The request is nested too deeply." };
  return {
    body: sent,
    model,
    inputTokens: estimateInput(sent.length, request),
    outputTokens: maxOutputTokens(shape, request),
    dropUsage,
  };
}

/** Sends exactly what was checked: upstream may read duplicate keys differently. */
function serialize(request: Json): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(request));
  } catch {
    return null;
  }
}

function maxOutputTokens(shape: Shape, request: Json): number {
  const config = objectIn(request, "generationConfig") ?? objectIn(request, "generation_config");
  switch (shape) {
    case "anthropic":
      return countIn(request, "max_tokens") ?? DEFAULT_OUTPUT_TOKENS;
    case "responses":
      return countIn(request, "max_output_tokens") ?? DEFAULT_OUTPUT_TOKENS;
    case "chat":
      return (
        (countIn(request, "max_completion_tokens", "max_tokens") ?? DEFAULT_OUTPUT_TOKENS) *
        (countIn(request, "n") ?? 1)
      );
    case "gemini":
      return (
        (countIn(config, "maxOutputTokens", "max_output_tokens") ?? DEFAULT_OUTPUT_TOKENS) *
        (countIn(config, "candidateCount", "candidate_count") ?? 1)
      );
  }
}

function requestsUsage(request: Json): boolean {
  return objectIn(request, "stream_options")?.["include_usage"] === true;
}

function withUsage(request: Json): Json {
  return { ...request, stream_options: { ...objectIn(request, "stream_options"), include_usage: true } };
}
