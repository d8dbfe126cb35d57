import type { IdleFacts } from "../../../../src/core/pipeline/explain-idle-actions.ts";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { factsOf } from "../../act/task-facts.ts";

export function hasTaskEnded({ status }: Pick<TaskJson, "status">): boolean {
  return status === "succeeded" || status === "failed" || status === "cancelled";
}

/** What decides whether a role can run on the task, and its files can be applied. */
export function idleFactsOf(task: TaskJson): IdleFacts {
  const { isNight = false, hasChange } = factsOf(task);
  return {
    isNight,
    hasChange,
    isPublished: task.artifacts.some(({ type }) => type === "branch"),
    isInPlace: task.options.in_place,
  };
}

/** An address that may be opened: of the forge, never of an agent's text. */
export function isWebAddress(url: string | null): url is string {
  return url !== null && /^https?:\/\//i.test(url);
}
