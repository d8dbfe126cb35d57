import type { TaskJson } from "../../../src/http/client/client.ts";

type Run = TaskJson["runs"][number];

/** "claude-code, claude-opus-4-6". */
export function nameAgent({ agent, model }: Pick<Run, "agent" | "model">): string {
  return [agent ?? "an agent", ...(model === null ? [] : [model])].join(", ");
}

/** The run that made the task wait: the newest agent run that ended. */
export function findAsking({ runs, waiting_for: waiting }: Pick<TaskJson, "runs" | "waiting_for">): Run | null {
  const since = waiting?.since ?? "";
  const ended = runs.filter(({ step, finished_at: at }) => step === "agent" && at !== null && at <= since);
  return ended.at(-1) ?? runs.findLast(({ step }) => step === "agent") ?? null;
}
