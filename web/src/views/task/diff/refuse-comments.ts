import { possibleActions } from "../../../../../src/core/pipeline/possible-actions.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";

/** Why no comments can be sent in the task's current state, or null. */
export function refuseComments({ status, waiting_for: waiting, state, short_id: id }: TaskJson): string | null {
  if (possibleActions(status, { waitsFor: waiting?.kind ?? null }).includes("comment")) return null;
  if (status === "succeeded" || status === "failed" || status === "cancelled")
    return `The task has ended. Say what to change with: nightshift follow-up ${id} "…"`;
  return `Comments can be sent when the change waits for its merge; the task is ${status} in "${state}" now.`;
}
