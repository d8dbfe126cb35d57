import { add } from "../../../core/money/cost.ts";
import type { TranscriptEvent, UsageEvent } from "../../../core/task/transcript.ts";

/** Collects the events that matter at the end of a run, in bounded memory. */
export interface KeptEvents {
  push(event: TranscriptEvent): void;
  /** Ordered by when each was last pushed. */
  all(): readonly TranscriptEvent[];
}

/** Names come from the agent. Usage of further models is added up without a name. */
const MAX_MODELS = 100;

/** Keeps the last event of each kind and the sum of usage events. Text stays on disk. */
export function createKeptEvents(): KeptEvents {
  const kept = new Map<string, TranscriptEvent>();
  const models = new Set<string | null>();

  function put(key: string, event: TranscriptEvent): void {
    kept.delete(key);
    kept.set(key, event);
  }

  function putUsage(usage: UsageEvent): void {
    if (models.size < MAX_MODELS) models.add(usage.model);
    const event = models.has(usage.model) ? usage : { ...usage, model: null };
    const key = JSON.stringify(["usage", event.scope, event.costUsd === null, event.model]);
    const before = kept.get(key);
    put(key, event.scope === "delta" && before?.type === "usage" ? sum(before, event) : event);
  }

  return {
    push(event) {
      if (event.type === "usage") putUsage(event);
      else if (event.type === "error") put(`error ${event.failure}`, event);
      else if (event.type === "session" || event.type === "limit" || event.type === "outcome") put(event.type, event);
    },
    all: () => [...kept.values()],
  };
}

/** Either both have a cost or neither does. */
function sum(a: UsageEvent, b: UsageEvent): UsageEvent {
  const costUsd = a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd;
  return { ...b, tokens: add(a.tokens, b.tokens), costUsd };
}
