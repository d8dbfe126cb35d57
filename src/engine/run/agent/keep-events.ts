import { add } from "../../../core/money/cost.ts";
import type { TranscriptEvent, UsageEvent } from "../../../core/task/transcript.ts";

/** What counts in the end of the events of a run, in memory that does not grow with their number. */
export interface KeptEvents {
  push(event: TranscriptEvent): void;
  /** In the order in which each was last said. */
  all(): readonly TranscriptEvent[];
}

/** More models than this in one run are no models. */
const MOST_MODELS = 100;

/** Of each kind the last word; of what is to be added up, the sum. Text is left on disk. */
export function createKeptEvents(): KeptEvents {
  const kept = new Map<string, TranscriptEvent>();
  const models = new Set<string | null>();

  function put(key: string, event: TranscriptEvent): void {
    kept.delete(key);
    kept.set(key, event);
  }

  function putUsage(said: UsageEvent): void {
    if (models.size < MOST_MODELS) models.add(said.model);
    const event = models.has(said.model) ? said : { ...said, model: null };
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

/** Both tell their cost, or neither does. */
function sum(a: UsageEvent, b: UsageEvent): UsageEvent {
  const costUsd = a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd;
  return { ...b, tokens: add(a.tokens, b.tokens), costUsd };
}
