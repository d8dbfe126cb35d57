import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { CodeFacts } from "./code-facts.tsx";
import { LimitFacts } from "./limit-facts.tsx";
import { MergeOrder } from "./merge-order.tsx";
import { NotPossible } from "./not-possible.tsx";
import { Notifications } from "./notifications.tsx";
import { Subtasks } from "./subtasks.tsx";
import { TaskFacts } from "./task-facts-list.tsx";
import { Variants } from "./variants.tsx";

/** Everything that is known about the task itself, besides what happened to it. */
export function FactsColumn({ task }: { task: TaskJson }) {
  return (
    <aside className="props" aria-label="Facts">
      <TaskFacts task={task} />
      <CodeFacts task={task} />
      <Subtasks task={task} />
      <Variants task={task} />
      <LimitFacts task={task} />
      <MergeOrder task={task} />
      <Notifications task={task} />
      <NotPossible task={task} />
    </aside>
  );
}
