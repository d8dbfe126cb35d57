import type { Run } from "../task/run.ts";
import { entryOf, isOutcome, type OutcomeName, type PayloadOf } from "./outcome.ts";

type EndedRun = Pick<Run, "outcome" | "payload">;

/** The outcome of an ended run, as far as it was stored. */
type StoredOutcome = { [Name in OutcomeName]: { readonly name: Name; readonly payload: PayloadOf<Name> } }[OutcomeName];

/** Null where the run has no outcome, or one that this version does not know or cannot read. */
export function readStored({ outcome, payload }: EndedRun): StoredOutcome | null {
  if (outcome === null || !isOutcome(outcome)) return null;
  const parsed = entryOf(outcome).payload.safeParse(payload ?? {});
  // The entry's schema is that of this very name.
  return parsed.success ? ({ name: outcome, payload: parsed.data } as StoredOutcome) : null;
}

/** The payload of a run that ended in this outcome; null where it ended in another, or cannot be read. */
export function storedPayload<Name extends OutcomeName>(run: EndedRun | undefined, name: Name): PayloadOf<Name> | null {
  const stored = run?.outcome === name ? readStored(run) : null;
  // It was stored under this very name.
  return stored === null ? null : (stored.payload as PayloadOf<Name>);
}

/** The payload of the newest of these runs that ended in this outcome. */
export function lastPayload<Name extends OutcomeName>(runs: readonly EndedRun[], name: Name): PayloadOf<Name> | null {
  return storedPayload(
    runs.findLast(({ outcome }) => outcome === name),
    name,
  );
}
