import { NO_TOKENS } from "../../../core/task/run.ts";
import type { Tokens } from "../../../core/task/run.ts";
import { countIn, objectIn, textIn } from "./json.ts";
import type { Json } from "./json.ts";
import type { Shape } from "../routes.ts";

/** What an answer has said so far of itself. */
export interface Known {
  readonly model: string | null;
  /** Null: nothing yet. */
  readonly tokens: Tokens | null;
  /** No later word on it is expected. */
  readonly isFinal: boolean;
}

export const NOTHING_KNOWN: Known = { model: null, tokens: null, isFinal: false };

/** Adds what one event of a stream, or a whole answer, says. */
export function readUsage(shape: Shape, value: unknown, before: Known): Known {
  // Gemini streams an array where it is not asked for events.
  if (Array.isArray(value)) return value.reduce<Known>((known, part) => readUsage(shape, part, known), before);
  const { holder, usage } = find(shape, value);
  const model = textIn(holder, "model") ?? textIn(holder, "modelVersion") ?? before.model;
  if (usage === null) return { ...before, model };
  const tokens = READERS[shape](usage, before.tokens ?? NO_TOKENS);
  // Its first event says what went in, and only a later one what came out.
  const isFirst = textIn(objectIn(value), "type") === "message_start";
  return { model, tokens, isFinal: !isFirst };
}

/** Where the usage stands in an event or answer, and who says so. */
function find(shape: Shape, value: unknown): { readonly holder: Json | null; readonly usage: Json | null } {
  const name = shape === "gemini" ? "usageMetadata" : "usage";
  const inner = shape === "anthropic" ? "message" : "response";
  const holder = objectIn(value, inner) ?? objectIn(value);
  return { holder, usage: objectIn(holder, name) };
}

type Reader = (usage: Json, before: Tokens) => Tokens;

const READERS: Readonly<Record<Shape, Reader>> = {
  /** Every number is the sum so far; later events may leave out what has not changed. */
  anthropic: (usage, before) => ({
    input: countIn(usage, "input_tokens") ?? before.input,
    output: countIn(usage, "output_tokens") ?? before.output,
    cacheRead: countIn(usage, "cache_read_input_tokens") ?? before.cacheRead,
    cacheWrite: countIn(usage, "cache_creation_input_tokens") ?? before.cacheWrite,
  }),
  responses: (usage) => readOpenai(usage, "input", "output"),
  chat: (usage) => readOpenai(usage, "prompt", "completion"),
  gemini(usage) {
    const cacheRead = countIn(usage, "cachedContentTokenCount") ?? 0;
    const asked = (countIn(usage, "promptTokenCount") ?? 0) + (countIn(usage, "toolUsePromptTokenCount") ?? 0);
    const output = (countIn(usage, "candidatesTokenCount") ?? 0) + (countIn(usage, "thoughtsTokenCount") ?? 0);
    return { input: Math.max(0, asked - cacheRead), output, cacheRead, cacheWrite: 0 };
  },
};

/** What came from or went into the cache is contained in the input; reasoning is contained in the output. */
function readOpenai(usage: Json, input: "input" | "prompt", output: "output" | "completion"): Tokens {
  const details = objectIn(usage, `${input}_tokens_details`);
  const cacheRead = countIn(details, "cached_tokens") ?? 0;
  const cacheWrite = countIn(details, "cache_write_tokens") ?? 0;
  const asked = countIn(usage, `${input}_tokens`) ?? 0;
  return {
    input: Math.max(0, asked - cacheRead - cacheWrite),
    output: countIn(usage, `${output}_tokens`) ?? 0,
    cacheRead,
    cacheWrite,
  };
}
