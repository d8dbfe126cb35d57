import type { TaskJson } from "../../../../../src/http/client/client.ts";

export function Prompts({ task }: { task: TaskJson }) {
  return task.runs.length === 0 ? null : null;
}
