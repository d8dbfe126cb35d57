import fc from "fast-check";
import { hasDefaultEdge, possibleOutcomes } from "../core/pipeline/edges.ts";
import { FACTS, WAIT_KINDS, type Pipeline, type Step } from "../core/pipeline/pipeline.ts";
import { STATE_ROLES } from "../core/task/role.ts";
import { parsed } from "./walk.ts";

/** Limit names. The third one exists on every object, so that a careless lookup finds it. */
const LIMITS: readonly Readonly<Record<string, number>>[] = [{ first: 1 }, { second: 3 }, { constructor: 2 }];
const ENDS = ["done", "failed", "cancelled"];

const step: fc.Arbitrary<Exclude<Step, { kind: "end" }>> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("agent" as const), role: fc.constantFrom(...STATE_ROLES) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("checks" as const, "publish" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), for: fc.constantFrom(...WAIT_KINDS) }) },
);

interface Draft {
  readonly step: Exclude<Step, { kind: "end" }>;
  readonly when: string | null;
  /** Targets of its outcomes, as numbers to pick by. */
  readonly picks: readonly number[];
}

const draft: fc.Arbitrary<Draft> = fc.record({
  step,
  when: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom("", "not "), fc.constantFrom(...FACTS)).map((words) => words.join("")),
    },
  ),
  picks: fc.array(fc.nat(999), { minLength: 8, maxLength: 8 }),
});

/** Small valid pipelines: forward edges are free, back edges have a limit, a list to walk, or a person. */
export const anyPipeline: fc.Arbitrary<Pipeline> = fc
  .record({ drafts: fc.array(draft, { minLength: 1, maxLength: 5 }), walksList: fc.boolean() })
  .map(({ drafts, walksList }) => {
    const states = drafts.map(
      (each, index) => [`s${index}`, writeState(each, index, drafts.length, walksList)] as const,
    );
    const ends = ENDS.map((name) => [name, { end: name === "done" ? "succeeded" : name }] as const);
    const each = walksList ? { each: "item" } : {};
    // JSON is valid YAML.
    return parsed(
      JSON.stringify({ name: "any", start: "s0", ...each, states: Object.fromEntries([...states, ...ends]) }),
      "any",
    );
  });

function writeState({ step: { kind, ...of }, when, picks }: Draft, index: number, count: number, walksList: boolean) {
  const full = { kind, ...of } as Step; // destructured on the line above
  const onward = index + 1 < count ? `s${index + 1}` : "done";
  const needed = possibleOutcomes(full).filter((outcome) => !hasDefaultEdge(outcome, full));
  const on = needed.map((outcome, place) => {
    const pick = picks[place] ?? 0;
    return [
      outcome,
      place === 0 ? first(onward, walksList && index === 0) : target({ pick, index, count, isWait: kind === "wait" }),
    ];
  });
  const named = "role" in of ? { agent: of.role } : "for" in of ? { wait: of.for } : { [kind]: true };
  return { ...named, ...(when === null ? {} : { when, else: onward }), on: Object.fromEntries(on) };
}

/** Every state leads to the next one, so that all are reachable. */
function first(onward: string, walksList: boolean): unknown {
  return walksList ? { next: "item", to: "s0", else: onward } : onward;
}

function target({
  pick,
  index,
  count,
  isWait,
}: {
  pick: number;
  index: number;
  count: number;
  isWait: boolean;
}): unknown {
  const back = `s${pick % (index + 1)}`;
  const later = [...Array.from({ length: count - index - 1 }, (_, more) => `s${index + 1 + more}`), ...ENDS];
  const on = later[pick % later.length];
  if (pick % 7 === 0) return [back, on, "failed"].filter((name, place, all) => all.indexOf(name) === place);
  if (isWait && pick % 2 === 0) return back;
  return pick % 3 === 0 ? on : { to: back, limit: LIMITS[Math.floor(pick / 3) % LIMITS.length], else: on };
}
