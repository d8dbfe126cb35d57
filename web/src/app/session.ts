import { hasRight, type Right } from "../../../src/core/task/requester.ts";
import { useConnection } from "../api/live.ts";
import { type Reply, useApi } from "../api/queries.ts";

/** The signed-in person, or null while loading or signed out. */
export function useSession(): Reply<"GET /session"> | null {
  return useApi("GET /session", {}, { live: false }).data ?? null;
}

/**
 * Why the person cannot do something that needs this right now, or null. `what` starts a sentence, such as "Approving a
 * plan". Pass it to `Button` as `refusal`.
 */
export function useRefusal(right: Right, what: string): string | null {
  const session = useSession();
  const { state } = useConnection();
  if (state === "away") return "Nightshift does not answer at the moment.";
  if (state === "signed-out" || session === null) return "You are not signed in.";
  if (hasRight(session, right)) return null;
  const has = session.rights.length === 0 ? "only read" : session.rights.join(" and ");
  return `${what} needs the right "${right}"; ${session.name} may ${has}.`;
}
