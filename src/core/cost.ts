import { type CostBasis, NO_TOKENS, type Tokens } from "./run.ts";
import type { TranscriptEvent } from "./transcript.ts";

/** What a run used. */
export interface Usage {
  readonly tokens: Tokens;
  readonly costUsd: number | null;
  readonly basis: CostBasis;
}

/** Nobody said anything yet: unknown, which is not the same as free. */
export const NO_USAGE: Usage = { tokens: NO_TOKENS, costUsd: null, basis: "unknown" };

/** Usage events add up: each tells of what came after the one before it. */
export function sumUsage(events: Iterable<TranscriptEvent>): Usage {
  let tokens = NO_TOKENS;
  let costUsd = 0;
  let reports = 0;
  let complete = true;
  for (const event of events) {
    if (event.type !== "usage") continue;
    reports += 1;
    tokens = addTokens(tokens, event.tokens);
    if (event.costUsd === null) complete = false;
    else costUsd += event.costUsd;
  }
  // A sum that lacks a part would be taken for the whole.
  if (reports === 0 || !complete) return { ...NO_USAGE, tokens };
  return { tokens, costUsd, basis: "reported" };
}

function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
