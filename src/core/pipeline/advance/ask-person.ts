import type { AdvanceParams } from "./advance.ts";
import { askAboutCommit } from "./decide-checks.ts";
import type { Move } from "./enter-state.ts";
import type { Pipeline, Target } from "../pipeline.ts";
import type { Option } from "../../task/task.ts";

/** Lets a person choose the next state. The ids of the options are state names. */
export function askPerson(params: AdvanceParams, reason: string, targets: readonly Target[]): Move {
  const { task, pipeline } = params;
  const ends = ["failed", "cancelled"].flatMap((status) =>
    Object.values(pipeline.states).filter(({ step }) => step.kind === "end" && step.status === status),
  );
  const names = [
    ...new Set([...targets.map(({ to }) => to ?? task.state), task.state, ...ends.map(({ name }) => name)]),
  ];
  const { outcome, at } = params;
  const commit = outcome.name === "refused" ? (outcome.payload.commit ?? null) : null;
  const again = commit === null ? `retry "${task.state}"` : `allow it and continue with the checks`;
  const options: Option[] = names.map((name) => ({
    id: name,
    title: name === task.state ? again : describeOption(pipeline, name),
    description: "",
    recommended: false,
  }));
  const waitingFor = { kind: "choice", reason, options, since: at } as const;
  if (commit === null) return { task, waitingFor, next: null, end: null };
  const asking = askAboutCommit(task, { commit, options, reason, at });
  return { task: asking, waitingFor: { ...waitingFor, about: "findings" }, next: null, end: null };
}

function describeOption({ states }: Pipeline, name: string): string {
  return states[name]?.step.kind === "end" ? `end the task as ${name}` : `continue with "${name}"`;
}
