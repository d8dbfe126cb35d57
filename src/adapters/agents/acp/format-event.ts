import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";

/** Formats an event as a line that `parseEventLine` can read. */
export function formatEvent(event: TranscriptEvent): string {
  switch (event.type) {
    case "usage": {
      const { tokens, costUsd, model, scope } = event;
      const { input, output, cacheRead, cacheWrite } = tokens;
      return JSON.stringify({
        type: "usage",
        tokens: { input, output, cache_read: cacheRead, cache_write: cacheWrite },
        cost_usd: costUsd,
        model,
        scope,
      });
    }
    case "limit":
      return JSON.stringify({
        type: "limit",
        kind: event.kind,
        resets_at: event.resetsAt === null ? null : new Date(event.resetsAt).toISOString(),
      });
    case "raw":
      // The format has no raw events: unknown lines are text.
      return JSON.stringify({ type: "text", text: event.text });
    default:
      return JSON.stringify(event);
  }
}
