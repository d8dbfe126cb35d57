import { NO_TOKENS } from "../../../core/task/run.ts";
import type { Tokens } from "../../../core/task/run.ts";
import { countIn, objectIn, textIn } from "./json.ts";
import type { Json } from "./json.ts";
import type { Shape } from "../routes.ts";

/** The usage that an answer has reported so far. */
export interface ReportedUsage {
  readonly model: string | null;
  /** Null if not reported yet. */
  readonly tokens: Tokens | null;
  /** No later update is expected. */
  readonly isFinal: boolean;
}

export const NO_USAGE: ReportedUsage = { model: null, tokens: null, isFinal: false };

/** Adds the usage in one event of a stream, or in a whole answer. */
export function readUsage(shape: Shape, value: unknown, before: ReportedUsage): ReportedUsage {
  // Without `alt=sse` Gemini streams an array.
  if (Array.isArray(value)) return value.reduce<ReportedUsage>((known, part) => readUsage(shape, part, known), before);
  const { holder, usage } = findUsage(shape, value);
  const model = textIn(holder, "model") ?? textIn(holder, "modelVersion") ?? before.model;
  if (usage === null) return { ...before, model };
  const tokens = READERS[shape](usage, before.tokens ?? NO_TOKENS);
  // Anthropic's first event reports the input, and later ones the output.
  const isFirst = textIn(objectIn(value), "type") === "message_start";
  return { model, tokens, isFinal: !isFirst };
}

/** Finds the usage in an event or answer, and the object that contains it. */
function findUsage(shape: Shape, value: unknown): { readonly holder: Json | null; readonly usage: Json | null } {
  const name = shape === "gemini" ? "usageMetadata" : "usage";
  const inner = shape === "anthropic" ? "message" : "response";
  const holder = objectIn(value, inner) ?? objectIn(value);
  return { holder, usage: objectIn(holder, name) };
}

type Reader = (usage: Json, before: Tokens) => Tokens;

const READERS: Readonly<Record<Shape, Reader>> = {
  /** Counts are cumulative. Later events may omit unchanged ones. */
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
    const prompt = (countIn(usage, "promptTokenCount") ?? 0) + (countIn(usage, "toolUsePromptTokenCount") ?? 0);
    const output = (countIn(usage, "candidatesTokenCount") ?? 0) + (countIn(usage, "thoughtsTokenCount") ?? 0);
    return { input: Math.max(0, prompt - cacheRead), output, cacheRead, cacheWrite: 0 };
  },
};

/** OpenAI includes cache reads and writes in the input, and reasoning in the output. */
function readOpenai(usage: Json, input: "input" | "prompt", output: "output" | "completion"): Tokens {
  const details = objectIn(usage, `${input}_tokens_details`);
  const cacheRead = countIn(details, "cached_tokens") ?? 0;
  const cacheWrite = countIn(details, "cache_write_tokens") ?? 0;
  const total = countIn(usage, `${input}_tokens`) ?? 0;
  return {
    input: Math.max(0, total - cacheRead - cacheWrite),
    output: countIn(usage, `${output}_tokens`) ?? 0,
    cacheRead,
    cacheWrite,
  };
}
