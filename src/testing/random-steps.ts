import fc from "fast-check";
import { advance, type Advance, type AdvanceParams } from "../core/pipeline/advance/advance.ts";
import { possibleOutcomes } from "../core/pipeline/edges.ts";
import { OUTCOMES, type OutcomeName } from "../core/outcomes/outcome.ts";
import { FACTS, type Facts, type Pipeline } from "../core/pipeline/pipeline.ts";
import { hasEnded, type Task } from "../core/task/task.ts";
import { makeOutcome } from "./builders.ts";
import { anyPipeline } from "./pipeline-arbitrary.ts";
import { builtInPipelines, paramsFor, start } from "./walk.ts";

/** A random event that can be applied to any task. */
export interface RandomStep {
  readonly pick: number;
  /** An outcome that may not be valid here. */
  readonly surprise: OutcomeName | null;
  readonly option: string;
  readonly summary: string;
  readonly retryAt: number | null;
  readonly facts: Facts;
  readonly isPaused: boolean;
  readonly hidesRun: boolean;
}

const seldom = fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0);

export const someFacts: fc.Arbitrary<Facts> = fc
  .array(fc.boolean(), { minLength: FACTS.length, maxLength: FACTS.length })
  // One entry per FACTS; Object.fromEntries only knows strings.
  .map((values) => Object.fromEntries(FACTS.map((fact, index) => [fact, values[index]])) as Facts);

export const somePipeline = fc.oneof(fc.constantFrom(...builtInPipelines()), anyPipeline);

export const someItems = fc.option(
  fc
    .integer({ min: 1, max: 3 })
    .map((length) => ({ list: Array.from({ length }, String), at: 0, scheduled: 1, tried: [] })),
);

const someLimits = fc.dictionary(fc.constantFrom("repair", "review", "retry", "first", "constructor"), fc.nat(4));

const happening: fc.Arbitrary<RandomStep> = fc.record({
  pick: fc.nat(9_999),
  surprise: fc.oneof(
    { weight: 12, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...OUTCOMES) },
  ),
  option: fc.constantFrom("", "constructor", "__proto__", "nowhere", "implementing", "s0", "failed"),
  summary: fc.constantFrom("broke", "broke again", ""),
  retryAt: fc.option(fc.nat(1_000_000)),
  facts: someFacts,
  isPaused: seldom,
  hidesRun: seldom,
});

/** Sends tasks through pipelines at random and checks every single step. */
export function checkEveryStep(check: (after: Advance, before: AdvanceParams) => void): void {
  const happenings = fc.array(happening, { minLength: 5, maxLength: 60, size: "max" });
  fc.assert(
    fc.property(somePipeline, someItems, someLimits, happenings, (pipeline, items, limits, happens) => {
      let now = start(pipeline, { items });
      for (const each of happens) {
        const params = freeze({ ...makeParams(pipeline, now, each), limits });
        now = advance(params);
        check(now, params);
      }
    }),
    { numRuns: 60 },
  );
}

function makeParams(pipeline: Pipeline, now: Advance, { surprise, pick, ...happens }: RandomStep): AdvanceParams {
  const { task, next } = now;
  const offered = task.waitingFor?.kind === "choice" ? task.waitingFor.options.map(({ id }) => id) : [];
  const option = pickFrom([...offered, ...offered, happens.option], pick);
  const { summary, retryAt, facts } = happens;
  const outcome = makeOutcome(surprise ?? pickFrom(likely(pipeline, task), pick), {
    summary,
    payload: { option },
    retryAt,
  });
  const status = happens.isPaused && next !== null ? "paused" : task.status;
  const params = paramsFor(pipeline, { ...now, task: { ...task, status } }, outcome, { facts });
  return happens.hidesRun ? { ...params, run: null } : params;
}

/** Possible outcomes. Those named in the pipeline are more likely, so that walks get far. */
function likely({ states }: Pipeline, task: Task): readonly OutcomeName[] {
  const here = states[task.state];
  if (here === undefined || hasEnded(task)) return OUTCOMES;
  if (task.waitingFor?.kind === "answers") return ["answered"];
  if (task.waitingFor?.kind === "choice") return ["chosen"];
  const possible = possibleOutcomes(here.step);
  const named = possible.filter((outcome) => here.on[outcome] !== undefined);
  return [...possible, ...Array.from({ length: 20 }, () => named).flat()];
}

export function pickFrom<T>(list: readonly T[], pick: number): T {
  const picked = list[pick % list.length];
  if (picked === undefined) throw new RangeError("the list is empty");
  return picked;
}

/** Freezes the input, so that a mutation throws. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
