import type { Tokens } from "../../../core/task/run.ts";
import type { UsageEvent } from "../../../core/task/transcript.ts";
import { fieldsOf, type Fields, listOf, numberOf, textOf } from "./fields.ts";

/** The dollars that the session has cost so far, as far as the agent tells. */
export interface SessionCost {
  /** Before this run's prompt; null where it is not known. */
  readonly before: number | null;
  readonly now: number | null;
}

/** The session's cost in a `usage_update`; null where it tells none, or not in dollars. */
export function costOf(update: unknown): number | null {
  const { amount, currency } = fieldsOf(fieldsOf(update)["cost"]);
  return currency === "USD" ? numberOf(amount) : null;
}

/**
 * What the answer to a prompt says that it took. The protocol's stable version has no field for it: agents put it in `usage`,
 * and by model in `_meta.quota`, which also counts calls that they make on the side.
 */
export function usageOf(response: unknown, cost: SessionCost): readonly UsageEvent[] {
  const { usage, _meta } = fieldsOf(response);
  const quota = fieldsOf(fieldsOf(_meta)["quota"]);
  const byModel = listOf(quota["model_usage"]).map((each) => {
    const { model, token_count: count } = fieldsOf(each);
    return { model: textOf(model), tokens: tokensOf(fieldsOf(count)) };
  });
  const whole = [usage, quota["token_count"]].map(fieldsOf).find((each) => Object.keys(each).length > 0);
  const costUsd = cost.before === null || cost.now === null ? null : Math.max(0, cost.now - cost.before);
  const parts = byModel.length > 0 ? byModel : whole === undefined ? [] : [{ model: null, tokens: tokensOf(whole) }];
  const [only, ...more] = parts;
  if (only === undefined && costUsd === null) return [];
  // A cost is that of all models together; without one, each model's tokens have their own price.
  if (more.length > 0 && costUsd === null) return parts.map((part) => toEvent(part.tokens, part.model, null));
  const total = parts.map(({ tokens }) => tokens).reduce(addTokens, NOTHING);
  return [toEvent(total, more.length > 0 ? null : (only?.model ?? null), costUsd)];
}

const NOTHING: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function toEvent(tokens: Tokens, model: string | null, costUsd: number | null): UsageEvent {
  return { type: "usage", tokens, costUsd, model, scope: "delta" };
}

/** Every agent spells it in its own way. */
function tokensOf(count: Fields): Tokens {
  return {
    input: first(count, ["inputTokens", "input_tokens"]),
    output: first(count, ["outputTokens", "output_tokens"]),
    cacheRead: first(count, ["cachedReadTokens", "cachedInputTokens", "cached_read_tokens", "cached_input_tokens"]),
    cacheWrite: first(count, ["cachedWriteTokens", "cacheWriteInputTokens", "cached_write_tokens"]),
  };
}

function first(count: Fields, names: readonly string[]): number {
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
