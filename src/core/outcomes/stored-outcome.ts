import type { Run } from "../task/run.ts";
import { entryOf, isOutcome, type OutcomeName, type PayloadOf } from "./outcome.ts";

type EndedRun = Pick<Run, "outcome" | "payload">;

/** The stored outcome of an ended run. */
type StoredOutcome = { [Name in OutcomeName]: { readonly name: Name; readonly payload: PayloadOf<Name> } }[OutcomeName];

/** Null if the run has no outcome, or one that this version does not know or cannot parse. */
export function readStored({ outcome, payload }: EndedRun): StoredOutcome | null {
  if (outcome === null || !isOutcome(outcome)) return null;
  const parsed = entryOf(outcome).payload.safeParse(payload ?? {});
  // The schema belongs to this outcome name.
  return parsed.success ? ({ name: outcome, payload: parsed.data } as StoredOutcome) : null;
}

/** The payload of a run that ended in this outcome; null if it ended in another one or cannot be parsed. */
export function storedPayload<Name extends OutcomeName>(run: EndedRun | undefined, name: Name): PayloadOf<Name> | null {
  const stored = run?.outcome === name ? readStored(run) : null;
  // It was stored under this name.
  return stored === null ? null : (stored.payload as PayloadOf<Name>);
}

/** The payload of the newest of these runs that ended in this outcome. */
export function lastPayload<Name extends OutcomeName>(runs: readonly EndedRun[], name: Name): PayloadOf<Name> | null {
  return storedPayload(
    runs.findLast(({ outcome }) => outcome === name),
    name,
  );
}
