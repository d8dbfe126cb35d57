import { readdirSync, readFileSync } from "node:fs";
import { advance, begin, type Advance, type AdvanceParams } from "../core/pipeline/advance/advance.ts";
import { parsePipelineText } from "../config/pipeline/parse-pipeline-text.ts";
import type { Outcome } from "../core/outcomes/outcome.ts";
import type { Facts, Pipeline } from "../core/pipeline/pipeline.ts";
import type { Task } from "../core/task/task.ts";
import { makeOutcome, makeTask } from "./builders.ts";

const BUILT_IN = new URL("../builtin/pipelines/", import.meta.url);

export const NO_FACTS: Facts = {
  forge: false,
  design: false,
  auto_plan: false,
  auto_merge: false,
  auto_approve: false,
  skip_plan: false,
  git: true,
};

export const ADA = { kind: "person", name: "ada" } as const;

export function parsed(text: string, name: string): Pipeline {
  const result = parsePipelineText({ name, text, file: `${name}.yaml` });
  if (!result.ok) throw new Error(result.issues.map(({ key, message }) => `${key}: ${message}`).join("\n"));
  return result.pipeline;
}

export function builtInPipelines(): readonly Pipeline[] {
  return readdirSync(BUILT_IN).map((file) => builtIn(file.replace(/\.yaml$/, "")));
}

export function builtIn(name: string): Pipeline {
  return parsed(readFileSync(new URL(`${name}.yaml`, BUILT_IN), "utf8"), name);
}

/** Parameters of `advance`: the run that the last step started, or a person if it started none. */
export function paramsFor(
  pipeline: Pipeline,
  now: Advance,
  outcome: Outcome,
  more: Partial<AdvanceParams> = {},
): AdvanceParams {
  const { next, task } = now;
  return {
    pipeline,
    task,
    outcome,
    run: next === null ? null : { id: runIdAt(task), role: next.role, step: next.step },
    actor: ADA,
    facts: NO_FACTS,
    limits: {},
    digest: (text) => `hash:${text}`,
    at: task.updatedAt + 1,
    ...more,
  };
}

/** Tests increase `at` with every step, so it identifies the run that the step started. */
export function runIdAt({ updatedAt }: Task): string {
  return `run_${updatedAt}`;
}

export function start(pipeline: Pipeline, overrides: Partial<Task> = {}, more: Partial<AdvanceParams> = {}): Advance {
  const task = makeTask({ pipeline: pipeline.name, pipelineHash: pipeline.hash, state: pipeline.start, ...overrides });
  return begin(paramsFor(pipeline, { task, events: [], next: null }, makeOutcome("retry"), more));
}

/** Advances outcome by outcome. Each one comes from the run (or the person) that was due. */
export function walk(
  pipeline: Pipeline,
  from: Advance,
  outcomes: readonly Outcome[],
  more: Partial<AdvanceParams> = {},
): Advance {
  return outcomes.reduce((now, outcome) => advance(paramsFor(pipeline, now, outcome, more)), from);
}
