import type { Task } from "../task/task.ts";

/** Commands a person may want to type next, most likely first. Empty if nothing is left to do. */
export function nextCommands({
  id,
  status,
  waitingFor,
}: Pick<Task, "id" | "status" | "waitingFor">): readonly string[] {
  if (status === "failed" || status === "cancelled") return [`nightshift show ${id}`, `nightshift retry ${id}`];
  switch (waitingFor?.kind) {
    case "approval":
      return [`nightshift approve ${id}`, `nightshift revise ${id} "…"`, `nightshift reject ${id}`];
    case "answers": {
      const answers = waitingFor.questions.map((question) => `${question.id}=…`).join(" ");
      return [`nightshift answer ${id} ${answers === "" ? "…" : answers}`];
    }
    case "choice":
      return waitingFor.options.map((option) => `nightshift choose ${id} ${option.id}`);
    case "review":
      return [`nightshift approve ${id}`, `nightshift reject ${id}`];
    case "merge":
      return [`nightshift reject ${id}`];
    case undefined:
      return [];
  }
}
