import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import type { Act } from "../../act/use-act.tsx";
import { useTaskChoices } from "../../act/use-task-choices.ts";
import { useApi } from "../../api/queries.ts";
import { useCurrentTask } from "../../app/current-task.ts";
import { Zap } from "lucide-react";
import type { PaletteGroup } from "./item.ts";

export interface Subject {
  readonly task: TaskJson | null;
  /** The task was chosen in the palette. */
  readonly isChosen: boolean;
  choose(task: TaskJson | null): void;
}

/** The task that actions are about: one that was chosen in the palette, the selected one, or the open one. */
export function useSubject(): Subject {
  const [chosen, setChosen] = useState<string | null>(null);
  const selected = useCurrentTask();
  const { id: open, task: decided } = useParams({ strict: false });
  const id = chosen ?? selected ?? open ?? decided ?? null;
  const { data } = useApi("GET /tasks/:id", { params: { id: id ?? "" } }, { enabled: id !== null });
  return {
    task: id === null ? null : (data ?? null),
    isChosen: chosen !== null,
    choose: (task) => setChosen(task?.id ?? null),
  };
}

/** What the person can do with the task. */
export function useActionsGroup({ task, isChosen }: Subject, act: Act): PaletteGroup {
  const choicesOf = useTaskChoices();
  if (task === null) return { id: "actions", title: "", items: [], share: 0 };
  const items = choicesOf(task).map(({ action, label, refusal }) => ({
    id: `act ${action}`,
    text: label,
    words: [task.title],
    icon: Zap,
    refusal,
    run: () => act.start(action, [task]),
  }));
  const title = `${isChosen ? "On the task" : "On the selected task"}, ${task.title}`;
  return { id: "actions", title, items, share: isChosen ? 8 : 3 };
}
