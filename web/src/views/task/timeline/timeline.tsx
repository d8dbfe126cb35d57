import type { TaskJson } from "../../../../../src/http/client/client.ts";

/** What happened to the task. */
export function Timeline({ task }: { task: TaskJson }) {
  return (
    <p className="muted" dir="auto">
      {task.description}
    </p>
  );
}
