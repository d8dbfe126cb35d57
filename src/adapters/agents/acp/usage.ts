import type { Tokens } from "../../../core/task/run.ts";
import type { UsageEvent } from "../../../core/task/documents/transcript.ts";
import { fieldsOf, type Fields, listOf, numberOf, textOf } from "./fields.ts";

/** The cost of the session so far in US dollars, as reported by the agent. */
export interface SessionCost {
  /** Before this run's prompt. Null if unknown. */
  readonly before: number | null;
  readonly now: number | null;
}

/** Reads the session's cost from a `usage_update`. Null if there is none, or not in dollars. */
export function readSessionCost(update: unknown): number | null {
  const { amount, currency } = fieldsOf(fieldsOf(update)["cost"]);
  return currency === "USD" ? numberOf(amount) : null;
}

/**
 * Reads the usage from the response to a prompt. The stable protocol has no field for it: agents put it in `usage`, and per
 * model in `_meta.quota`, which also includes auxiliary calls.
 */
export function readUsage(response: unknown, cost: SessionCost): readonly UsageEvent[] {
  const { usage, _meta } = fieldsOf(response);
  const quota = fieldsOf(fieldsOf(_meta)["quota"]);
  const byModel = listOf(quota["model_usage"]).map((each) => {
    const { model, token_count: count } = fieldsOf(each);
    return { model: textOf(model), tokens: tokensOf(fieldsOf(count)) };
  });
  const totalCount = [usage, quota["token_count"]].map(fieldsOf).find((each) => Object.keys(each).length > 0);
  const costUsd = cost.before === null || cost.now === null ? null : Math.max(0, cost.now - cost.before);
  const parts =
    byModel.length > 0 ? byModel : totalCount === undefined ? [] : [{ model: null, tokens: tokensOf(totalCount) }];
  const [only, ...more] = parts;
  if (only === undefined && costUsd === null) return [];
  // The cost covers all models together. Without it, the tokens of each model are priced separately.
  if (more.length > 0 && costUsd === null) return parts.map((part) => toEvent(part.tokens, part.model, null));
  const total = parts.map(({ tokens }) => tokens).reduce(addTokens, NO_TOKENS);
  return [toEvent(total, more.length > 0 ? null : (only?.model ?? null), costUsd)];
}

const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function toEvent(tokens: Tokens, model: string | null, costUsd: number | null): UsageEvent {
  return { type: "usage", tokens, costUsd, model, scope: "delta" };
}

/** Agents use different field names. */
function tokensOf(count: Fields): Tokens {
  return {
    input: read(count, ["inputTokens", "input_tokens"]),
    output: read(count, ["outputTokens", "output_tokens"]),
    cacheRead: read(count, ["cachedReadTokens", "cachedInputTokens", "cached_read_tokens", "cached_input_tokens"]),
    cacheWrite: read(count, ["cachedWriteTokens", "cacheWriteInputTokens", "cached_write_tokens"]),
  };
}

function read(count: Fields, names: readonly string[]): number {
  return Math.floor(names.map((name) => numberOf(count[name])).find((value) => value !== null) ?? 0);
}

function addTokens(one: Tokens, other: Tokens): Tokens {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}
