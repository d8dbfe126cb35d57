import type { IncomingMessage } from "node:http";
import type { Refusal } from "./upstream/answers.ts";
import { estimateInput } from "./meter/estimate-input.ts";
import { countIn, objectIn, parseJson, textIn } from "./meter/json.ts";
import type { Json } from "./meter/json.ts";
import type { Route, Shape } from "./routes.ts";

/** A request for words of a model. */
export interface RequestInfo {
  readonly body: Buffer;
  readonly model: string;
  readonly inputTokens: number;
  /** The most that can come out, as far as the request says. */
  readonly outputTokens: number;
  /** We asked for a last chunk that the client did not ask for and must not see. */
  readonly dropUsage: boolean;
}

const MEGABYTE = 1024 * 1024;
const MAX_BODY = 32 * MEGABYTE;
/** Of all requests that are held at the same time. */
const MAX_HELD = 96 * MEGABYTE;
const MAX_SEPARATORS = 2_000_000;
const COMMA = 0x2c;
const BRACKET = 0x5b;
/** Taken for requests that name no limit of their own; a stream that goes beyond what is left is cut. */
const USUAL_OUTPUT = 16_384;

/** Bytes by request, of all that are in memory: the supervisor's is not the agent's to fill. */
export type Held = Map<IncomingMessage, number>;

/** Reads the body to its end; null when the client breaks off. Whoever calls it takes it out of `held` again. */
export async function readBody(request: IncomingMessage, held: Held): Promise<Buffer | Refusal | null> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity")
    return { status: 415, sentence: `The model gateway reads no requests that are compressed (${encoding}).` };
  const tooLarge: Refusal = {
    status: 413,
    sentence: `The request is larger than ${MAX_BODY / MEGABYTE} MB, or those under way together than ${MAX_HELD / MEGABYTE} MB.`,
  };
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      held.set(request, size);
      if (size > MAX_BODY || sum(held.values()) > MAX_HELD) return tooLarge;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  const body = Buffer.concat(chunks);
  return isDense(body) ? tooLarge : body;
}

/** Many small values take many times their length once they are parsed; what is long in earnest is long by its texts. */
function isDense(body: Buffer): boolean {
  let separators = 0;
  if (body.length > MAX_SEPARATORS) for (const byte of body) if (byte === COMMA || byte === BRACKET) separators++;
  return separators > MAX_SEPARATORS;
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}

export function readRequestInfo({ shape, model: named }: Route, body: Buffer): RequestInfo | Refusal {
  const request = objectIn(parseJson(body.toString("utf8")));
  if (request === null) return { status: 400, sentence: "The request must be a JSON object." };
  const model = named ?? textIn(request, "model");
  if (model === null) return { status: 400, sentence: "The request names no model." };
  // It would go on, and cost, where nobody counts it.
  if (request["background"] === true)
    return { status: 400, sentence: "Requests in the background (`background: true`) are not possible here." };
  const dropUsage = shape === "chat" && request["stream"] === true && !asksForUsage(request);
  const sent = serialize(dropUsage ? withUsage(request) : request);
  if (sent === null) return { status: 400, sentence: "The request is nested too deeply." };
  return {
    body: sent,
    model,
    inputTokens: estimateInput(sent.length, request),
    outputTokens: outputOf(shape, request),
    dropUsage,
  };
}

/** What was looked at is what is sent: of a key that stands there twice, upstream might take the other one. */
function serialize(request: Json): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(request));
  } catch {
    return null;
  }
}

function outputOf(shape: Shape, request: Json): number {
  const config = objectIn(request, "generationConfig") ?? objectIn(request, "generation_config");
  switch (shape) {
    case "anthropic":
      return countIn(request, "max_tokens") ?? USUAL_OUTPUT;
    case "responses":
      return countIn(request, "max_output_tokens") ?? USUAL_OUTPUT;
    case "chat":
      return (countIn(request, "max_completion_tokens", "max_tokens") ?? USUAL_OUTPUT) * (countIn(request, "n") ?? 1);
    case "gemini":
      return (
        (countIn(config, "maxOutputTokens", "max_output_tokens") ?? USUAL_OUTPUT) *
        (countIn(config, "candidateCount", "candidate_count") ?? 1)
      );
  }
}

function asksForUsage(request: Json): boolean {
  return objectIn(request, "stream_options")?.["include_usage"] === true;
}

function withUsage(request: Json): Json {
  return { ...request, stream_options: { ...objectIn(request, "stream_options"), include_usage: true } };
}
