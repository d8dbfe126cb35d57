import { useCallback, useState } from "react";
import type { TaskJson } from "../../../../../src/http/client/client.ts";

export interface Selection {
  readonly tasks: ReadonlyMap<string, TaskJson>;
  toggle(task: TaskJson): void;
  clear(): void;
}

/** The tasks that actions of the bar apply to. */
export function useSelection(): Selection {
  const [tasks, setTasks] = useState<ReadonlyMap<string, TaskJson>>(new Map());
  const toggle = useCallback((task: TaskJson) => {
    setTasks((old) => {
      const next = new Map(old);
      if (!next.delete(task.id)) next.set(task.id, task);
      return next;
    });
  }, []);
  const clear = useCallback(() => setTasks(new Map()), []);
  return { tasks, toggle, clear };
}
