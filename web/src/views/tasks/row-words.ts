import type { TaskJson } from "../../../../src/http/client/client.ts";
import { formatTime, plural } from "../../ui/format.ts";
import { describeQueue } from "../task/head/status-words.ts";

type Waiting = NonNullable<TaskJson["waiting_for"]>;

/** The state of a task, or what it waits for, without its status, which the group says. */
export function describeRow(task: TaskJson, now?: number): string {
  switch (task.status) {
    case "running":
    case "paused":
      return task.state;
    case "queued":
      return `${task.state}, ${describeQueue(task.queued_for, now)}`;
    case "waiting":
      return task.waiting_for === null ? task.state : describeWaiting(task, task.waiting_for, now);
    case "failed":
    case "cancelled":
      return task.reason ?? words(task.outcome) ?? task.state;
    case "succeeded":
      return [words(task.outcome) ?? task.state, ...(task.category === null ? [] : [task.category])].join(", ");
  }
}

/** People type and read ids without the prefix that all of them have. */
export function shownId({ short_id: id }: Pick<TaskJson, "short_id">): string {
  return id.replace(/^task_/, "");
}

function describeWaiting({ change_request: request }: TaskJson, waiting: Waiting, now?: number): string {
  switch (waiting.kind) {
    case "approval":
      return `approve the ${waiting.document?.kind ?? "plan"}`;
    case "answers":
      return describeAnswers(waiting, now);
    case "choice":
      return `choose 1 of ${waiting.options.length}`;
    case "review":
      return "review";
    case "merge":
      if (waiting.problem != null) return `merge: ${waiting.problem.reason}`;
      return request === null ? "merge" : `merge #${request.number}`;
  }
}

/** The earliest deadline, because the defaults of those questions are taken then. */
function describeAnswers({ questions }: Extract<Waiting, { kind: "answers" }>, now?: number): string {
  const [deadline] = questions.flatMap(({ deadline: at }) => at ?? []).toSorted();
  const by = deadline === undefined ? "" : `, by ${formatTime(deadline, now)}`;
  return `${plural(questions.length, "question")}${by}`;
}

/** Outcomes are names such as `no_improvement`. */
function words(outcome: string | null): string | null {
  return outcome?.replaceAll("_", " ") ?? null;
}
