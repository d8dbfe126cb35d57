import type { Outcome } from "../core/outcomes/outcome.ts";
import type { AdvanceParams } from "../core/pipeline/advance/advance.ts";
import type { Pipeline } from "../core/pipeline/pipeline.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { Actor } from "../core/task/event.ts";
import type { Task } from "../core/task/task.ts";
import { factsOf, type EnginePorts } from "./ports.ts";

interface Happened {
  readonly pipeline: Pipeline;
  readonly settings: Settings;
  readonly task: Task;
  readonly outcome: Outcome;
  readonly actor: Actor;
  readonly at: number;
}

/** The parameters of `advance` for what happened without a run: a person's decision, or something at the forge. */
export function advanceParams({ digest }: Pick<EnginePorts, "digest">, happened: Happened): AdvanceParams {
  const { settings, ...params } = happened;
  return {
    ...params,
    run: null,
    facts: factsOf(happened.task, settings),
    limits: limitsOf(settings),
    digest,
  };
}

/** Settings that override a limit of the pipeline. */
export function limitsOf({ repairAttempts }: Settings): AdvanceParams["limits"] {
  return { repair: repairAttempts };
}
