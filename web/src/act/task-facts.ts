import type { MovableTask } from "../../../src/core/pipeline/task-moves.ts";
import { NIGHTLY } from "../../../src/core/schedule/schedule.ts";
import type { TaskJson } from "../../../src/http/client/client.ts";

/** What decides which actions on a task are possible. */
export function factsOf(task: TaskJson): MovableTask {
  const { head_commit: head, base_commit: base } = task;
  return {
    status: task.status,
    state: task.state,
    waitsFor: task.waiting_for?.kind ?? null,
    isParked: task.queued_for !== null,
    isNight: task.category !== null || task.pipeline === NIGHTLY,
    hasChange: head !== null && head !== base,
    hasDocument: task.documents.length > 0,
  };
}
